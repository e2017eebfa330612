import type { Request, RequestHandler, Response } from "express";
import type { Ctx } from "../../context.ts";
import { pauseDeadline } from "../../domain/deadline.ts";
import { Invalid, type Problem } from "../../domain/errors.ts";
import { formDigest } from "../../domain/secrets.ts";
import type { UploadId, UserId } from "../../domain/ids.ts";
import { picturesAtMost } from "../../domain/pictures/picture.ts";
import {
  addUpload,
  awaitUploads,
  describeUpload,
  newUploadId,
} from "../../domain/pictures/uploads.ts";
import { networkOf } from "../../domain/users/payer.ts";
import { textsOf } from "../layout/form.ts";
import { descriptionField, descriptionFields, uploadsIn } from "../site/tweets/form.ts";
import {
  composerFields,
  formBytes,
  holdBody,
  limitAtOnce,
  pictureBytes,
  picturesAtOnce,
} from "./held-bodies.ts";
import { addressOf } from "./address.ts";
import { countVerb } from "./limits.ts";
import { refuseGone } from "./refusals.ts";
import { type BadParts, filesIn, isMultipart, multipart } from "./uploads.ts";
import { requireViewer } from "./reader.ts";

const receive = multipart({
  fields: composerFields,
  files: picturesAtMost,
  fileBytes: pictureBytes,
  field: "pictures",
});

const isComposer = /^\/(tweets|drafts(\/\d+)?|messages\/[\d-]+)$/;

/** Reads small forms of the composer before the session, as `bodies` does: so the page of an outage offers the text. */
export function receiveSmallForms(): RequestHandler {
  return (req, res, next) => {
    const length = Number(req.headers["content-length"] ?? Infinity);
    const isSmall = req.method === "POST" && isComposer.test(req.path) && length <= formBytes;
    if (!isSmall || !isMultipart(req)) return next();
    const done = holdBody(req, res, next, { room: "forms" });
    receive(req, res, (bad) => {
      if (bad !== undefined) res.locals.badUpload = problemOf(bad);
      done();
    });
  };
}

/**
 * Reads the composer's form with its files into `req.body` and `req.files`; other forms were read before. For
 * signed-in users only. Throws Invalid beside `pictures`, before anything is counted for a limit, TooMany.
 */
export function receivePictures(): RequestHandler {
  const begin = limitAtOnce("uploads", picturesAtOnce);
  return (req, res, next) => {
    const { badUpload } = res.locals;
    if (badUpload !== undefined || req.files !== undefined || !isMultipart(req))
      return next(checkPictures(req, badUpload));
    const { id: user } = requireViewer(res);
    if (!begin(user, res)) return;
    const done = holdBody(req, res, next, { room: "pictures", user });
    receive(req, res, (bad) => done(checkPictures(req, bad && problemOf(bad))));
  };
}

/** What is wrong with the pictures that a form sends, if anything. Renumbers their descriptions first. */
function checkPictures(req: Request, bad: Problem | undefined): Invalid | undefined {
  renumberDescriptions(req);
  const isMany = filesIn(req).length + keptIn(req).length > picturesAtMost;
  const problem = bad ?? (isMany ? "picture.many" : undefined);
  return problem && new Invalid({ pictures: problem });
}

function problemOf({ reason }: BadParts): Problem {
  if (reason === "large file") return "picture.large";
  return reason === "many files" ? "picture.many" : "picture.upload";
}

/** Leaves out the descriptions of pictures that were shown and are no longer kept: those behind them move up. */
function renumberDescriptions(req: Request): void {
  const { shown, ...body } = (req.body ?? {}) as { shown?: unknown };
  const order = uploadsIn(shown);
  if (order.length === 0) return;
  const keptIds = keptIn(req);
  const typed = textsOf(body);
  const texts = descriptionFields.map((field) => typed[field] ?? "");
  const left = texts.filter((_, nth) => order[nth] === undefined || keptIds.includes(order[nth]));
  const moved = descriptionFields.map((field, nth) => [field, left[nth] ?? ""]);
  req.body = { ...body, ...Object.fromEntries(moved) };
}

/** Uploads that the form kept from an earlier submission. */
export function keptIn(req: Request): UploadId[] {
  return uploadsIn((req.body as { uploads?: unknown } | undefined)?.uploads);
}

/**
 * The uploads of the composer's form, once they are converted: those that it kept, then its files. Throws Invalid
 * beside `pictures` or a description; the form then keeps all good ones, with their descriptions. Throws TooMany.
 */
export async function keepPictures(ctx: Ctx, req: Request, res: Response): Promise<UploadId[]> {
  const { id: user } = requireViewer(res);
  const files = filesIn(req);
  const kept = keptIn(req);
  if (files.length + kept.length === 0) return [];
  await countVerb(ctx, req, res, "upload", files.length);
  const typed = textsOf(req.body);
  // An edit has no nonce, but the version that it was made from.
  const nonce = typed["nonce"] ?? typed["seen"];
  const prints = files.map(({ buffer }) => formDigest("", buffer).toString("hex"));
  const from = networkOf(ctx, addressOf(req));
  const all: Attached[] = [];
  for (const [nth, picture] of [...kept, ...files].entries()) {
    const keep = async (description: string): Promise<UploadId> => {
      if (typeof picture !== "string") {
        const id = newUploadId(nonce, user, req.path, typed, kept, prints, nth - kept.length);
        return await addUpload(ctx, user, { bytes: picture.buffer, description, id, from });
      }
      const described = describeUpload(ctx, user, { upload: picture, description });
      await described.catch(refuseGone("picture.gone", "pictures"));
      return picture;
    };
    all.push(await attach(keep, typed[descriptionField(nth + 1)] ?? ""));
  }
  const added = await prepared(ctx, user, all);
  const good = added.filter(({ id }) => id !== undefined);
  const ids = good.flatMap(({ id }) => id ?? []);
  const problems: Record<string, Problem> = {};
  for (const { problem } of added) if (problem !== undefined) problems["pictures"] ??= problem;
  for (const [nth, { wrong }] of good.entries())
    if (wrong !== undefined) problems[descriptionField(nth + 1)] = wrong;
  const texts = descriptionFields.map((field, nth) => [field, good[nth]?.description ?? ""]);
  req.body = { ...typed, ...Object.fromEntries(texts), uploads: ids };
  if (Object.keys(problems).length > 0) throw new Invalid(problems);
  return ids;
}

/** A picture of the form; without an id it is refused. */
interface Attached {
  id: UploadId | undefined;
  description: string;
  /** What is wrong with the description. */
  wrong?: Problem | undefined;
  problem?: Problem;
}

/** A description that is refused is typed again; its picture stays. */
async function attach(keep: (description: string) => Promise<UploadId>, description: string) {
  try {
    return { id: await keep(description), description };
  } catch (error) {
    if (!(error instanceof Invalid)) throw error;
    const { pictures: problem, description: wrong } = error.problems;
    if (problem !== undefined) return { id: undefined, description, problem };
    return { id: await keep(""), description, wrong };
  }
}

/** The pictures once they are converted; a picture that failed has a problem. */
async function prepared(ctx: Ctx, user: UserId, all: Attached[]): Promise<Attached[]> {
  const ids = all.flatMap(({ id }) => id ?? []);
  const uploadsFound = await pauseDeadline(() =>
    awaitUploads(ctx, user, { ids, milliseconds: ctx.config.pictureMilliseconds }),
  );
  const uploads = new Map(ids.map((id, nth) => [id, uploadsFound[nth]]));
  return all.map((one) => {
    if (one.id === undefined) return one;
    const upload = uploads.get(one.id);
    if (upload === undefined) return { ...one, id: undefined, problem: "picture.gone" };
    if (upload.made === undefined) return { ...one, problem: "picture.slow" };
    const { problem } = upload.made;
    return problem === undefined ? one : { ...one, id: undefined, problem };
  });
}
