import type { Request, RequestHandler, Response, Router } from "express";
import type { Problems } from "../../domain/problems.ts";

/** Shows the page of a form. If the form was refused: with the input, `req.body`, and its problems. */
export type ShowForm = (req: Request, res: Response, problems: Problems) => Promise<void> | void;

/** GET shows a form. POST passes it to `handlers`; if they refuse it, the form is shown again. */
export function formPage(
  router: Router,
  path: string,
  show: ShowForm,
  ...handlers: RequestHandler[]
): void {
  router.get(path, (req, res) => show(req, res, {}));
  router.post(path, onRefusal(show), ...handlers);
}

/** Use before a form's handler: if the handler refuses, `show` answers, with 422 or (too many) 429. */
export function onRefusal(show: ShowForm): RequestHandler {
  return (req, res, next) => {
    const { params } = req;
    res.locals.showAgain = async (problems) => {
      // Express drops the parameters of the path before it handles an error.
      req.params = params;
      await show(req, res, problems);
    };
    next();
  };
}
