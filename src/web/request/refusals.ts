import type { Request, RequestHandler, Response, Router } from "express";
import type { Ctx } from "../../context.ts";
import {
  DomainError,
  Invalid,
  NotFound,
  type Problem,
  type Problems,
} from "../../domain/errors.ts";
import type { UserId } from "../../domain/ids.ts";
import { picturesAtMost } from "../../domain/pictures/picture.ts";
import { composerBytes, composerFields, holdBody, pictureBytes } from "./held-bodies.ts";
import { limitVerb } from "./limits.ts";
import { isForMachines, requireViewer } from "./reader.ts";
import { fileIn, filesIn, isMultipart, multipart, upload } from "./uploads.ts";

/** Shows the page of a form. If the form was refused: with the input, `req.body`, and its problems. */
export type ShowForm = (req: Request, res: Response, problems: Problems) => Promise<void> | void;

/** What `submit` gets has passed the `checks`, such as limits. */
interface FormPage {
  show: ShowForm;
  checks?: RequestHandler[];
  submit: RequestHandler;
}

/** GET shows a form. POST submits it; if it is refused, the form is shown again. */
export function formPage(router: Router, path: string, { show, checks = [], submit }: FormPage) {
  router.get(path, (req, res) => show(req, res, {}));
  router.post(path, onRefusal(show), ...checks, submit);
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

/** For input about what is gone meanwhile: says so as a problem of the form, so that a page keeps the input. */
export function refuseGone(problem: Problem, field = "form"): (error: unknown) => never {
  return (error) => {
    throw error instanceof NotFound ? new Invalid({ [field]: problem }) : error;
  };
}

/** A form with one picture, and the button that removes it. Both lead to `done`. */
export function picturePage(
  ctx: Ctx,
  router: Router,
  { action, secrets: [field = ""] }: { action: string; secrets: readonly string[] },
  {
    show,
    done,
    change,
    remove,
  }: {
    show: ShowForm;
    done: string;
    change: (ctx: Ctx, user: UserId, picture: Buffer) => Promise<void>;
    remove: (ctx: Ctx, user: UserId) => Promise<void>;
  },
): void {
  router.post(
    action,
    onRefusal(show),
    limitVerb(ctx, "upload"),
    upload(field),
    async (req, res) => {
      const picture = fileIn(req);
      if (picture === undefined) throw new Invalid({ [field]: "avatar.missing" });
      await change(ctx, requireViewer(res).id, picture);
      res.redirect(303, done);
    },
  );
  router.post(`${action}/remove`, async (_req, res) => {
    await remove(ctx, requireViewer(res).id);
    res.redirect(303, done);
  });
}

const receive = multipart({ fields: composerFields, files: picturesAtMost });
/** Max bytes that are read, with the files. */
const bytesAtMost = composerBytes + picturesAtMost * pictureBytes;

const reading = new WeakMap<Request, Promise<void>>();

/**
 * Reads the texts of a form with files into `req.body` if an outage came before the form was read, so that they can be
 * given back. Files are not kept. Undefined if there is nothing to read.
 */
export function readUnreadTexts(req: Request, res: Response): Promise<void> | undefined {
  const pending = reading.get(req);
  if (pending !== undefined) return pending;
  const isForm = req.method === "POST" && !isForMachines(req.path);
  const isUnread = req.body === undefined && filesIn(req).length === 0;
  if (!isForm || !isUnread || !isMultipart(req)) return undefined;
  const done = new Promise<void>((resolve) => {
    // A body that is too long or broken has no texts to give back.
    const isHeld = { room: "pictures", atMost: bytesAtMost } as const;
    const end = holdBody(req, res, () => resolve(), isHeld);
    receive(req, res, end);
    req.once("close", resolve);
  }).catch((error: unknown) => {
    // Without room for the texts the page comes without them.
    if (!(error instanceof DomainError)) throw error;
  });
  reading.set(req, done);
  return done;
}
