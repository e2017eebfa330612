import { randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import express, { type Request, type RequestHandler, type Response } from "express";
import { Invalid, type Problem } from "../../domain/errors.ts";
import {
  formBytes,
  holdBody,
  type Holding,
  limitAtOnce,
  pictureBytes,
  picturesAtOnce,
} from "./held-bodies.ts";
import { requireViewer } from "./reader.ts";
import multer, { MulterError } from "multer";

/** Parses forms of at most 100 kB and 1,000 fields; larger ones get 413. Values are strings or lists of strings. */
export function bodies(): RequestHandler {
  const parse = express.urlencoded({ extended: false, limit: formBytes, parameterLimit: 1000 });
  return (req, res, next) => {
    if (req.method === "GET" || req.method === "HEAD") return next();
    // Null without a body; other content types are not read.
    const isRead = typeof req.is("urlencoded") === "string";
    parse(req, res, isRead ? holdBody(req, res, next, { room: "forms" }) : next);
  };
}

/** Limits of an upload, with the problems for a file that is too large or incomplete. */
export interface UploadRules {
  bytes: number;
  room: Holding["room"];
  /** Max simultaneous uploads of one user. */
  atOnce: number;
  large: Problem;
  broken: Problem;
  /** Keeps the file in the temporary folder of the machine until the request is answered. */
  onDisk?: boolean;
}

const picture: UploadRules = {
  bytes: pictureBytes,
  room: "pictures",
  atOnce: picturesAtOnce,
  large: "avatar.large",
  broken: "avatar.upload",
};

/** Reads a form with one file; for signed-in users only. Throws Invalid for `field`, TooMany. */
export function upload(field: string, rules: UploadRules = picture): RequestHandler {
  const { bytes, room, onDisk } = rules;
  const receive = multipart({ fields: 10, files: 1, fileBytes: bytes, field, onDisk });
  const begin = limitAtOnce("uploads", rules.atOnce);
  return (req, res, next) => {
    const { id: user } = requireViewer(res);
    if (!begin(user, res)) return;
    const done = holdBody(req, res, next, { room, user, roomBytes: 2.1 * bytes });
    receive(req, res, (bad) => {
      const problem = bad?.reason === "large file" ? rules.large : rules.broken;
      done(bad && new Invalid({ [field]: problem }));
    });
  };
}

/** What a multipart form may have. Its texts have together at most what the room of bodies has. */
interface Parts {
  fields: number;
  files: number;
  /** Max bytes of a file; without it files are read, and not kept. */
  fileBytes?: number;
  onDisk?: boolean | undefined;
  /** The only field that takes files. */
  field?: string;
  /** Max brackets in the name of a field. */
  nesting?: number;
}

/** Why a form was refused, and the field. All of these are the client's errors: nothing can fail on our side. */
export interface BadParts {
  reason: "large file" | "many files" | "many fields" | "broken";
  field: string | undefined;
}

const reasons: Readonly<Record<string, BadParts["reason"]>> = {
  LIMIT_FILE_SIZE: "large file",
  LIMIT_FILE_COUNT: "many files",
  LIMIT_FIELD_COUNT: "many fields",
  LIMIT_PART_COUNT: "many fields",
  LIMIT_FIELD_VALUE: "many fields",
};

/** Whatever becomes of the request, its files are gone when it has ended. */
const temporary = multer.diskStorage({
  destination: tmpdir(),
  filename({ res }, _file, name) {
    const file = `suzume-upload-${randomUUID()}`;
    res?.once("close", () => void rm(join(tmpdir(), file), { force: true }));
    name(null, file);
  },
});

/** Max files of a form that is read to its end. */
const filesInMemory = 50;

/** Of a file that is too large, or one too many, only the size: the fields behind it are read, too. */
function inMemory(files: number, fileBytes: number): multer.StorageEngine {
  return {
    _handleFile(req, { stream }, done) {
      const most = filesIn(req).length > files ? 0 : fileBytes;
      let [chunks, size] = [[] as Buffer[], 0];
      stream.on("data", (chunk: Buffer) => {
        size += chunk.length;
        if (size > most) chunks = [];
        else chunks.push(chunk);
      });
      stream.once("end", () => done(null, { buffer: Buffer.concat(chunks), size }));
    },
    _removeFile: (_req, _file, done) => done(null),
  };
}

/** Reads the texts of a form into `req.body` and its files into `req.files`, without empty files. */
export function multipart({ fields, files, fileBytes, field, nesting = 0, onDisk = false }: Parts) {
  const filesRead = onDisk ? files : filesInMemory;
  const limits = {
    fields,
    files: filesRead,
    parts: fields + filesRead,
    ...(onDisk ? { fileSize: fileBytes } : {}),
    fieldSize: formBytes,
    fieldNameSize: 100,
    fieldNestingDepth: nesting,
    // A list is as long as the largest number in a name, and the parser walks through all of it.
    fieldArrayIndexLimit: 1000,
    headerPairs: 20,
  };
  const reader =
    fileBytes === undefined
      ? multer({ limits, fileFilter: (_req, _file, decide) => decide(null, false) })
      : multer({ limits, storage: onDisk ? temporary : inMemory(files, fileBytes) });
  const receive = field === undefined ? reader.any() : reader.array(field);
  return (req: Request, res: Response, end: (bad?: BadParts) => void): void => {
    // A refused form counts in no room any more, so its files go.
    const refuse = (bad: BadParts) => {
      req.files = [];
      end(bad);
    };
    void receive(req, res, (error: unknown) => {
      const received = filesIn(req);
      req.files = received.filter(({ size }) => size > 0);
      const large = received.find(({ size }) => size > (fileBytes ?? Infinity));
      if (error !== undefined) refuse(badParts(error));
      else if (received.length > files) refuse({ reason: "many files", field });
      else if (large !== undefined) refuse({ reason: "large file", field: large.fieldname });
      else end();
    });
  };
}

function badParts(error: unknown): BadParts {
  const multerError = error instanceof MulterError ? error : undefined;
  return { reason: reasons[multerError?.code ?? ""] ?? "broken", field: multerError?.field };
}

export function isMultipart(req: Request): boolean {
  return typeof req.is("multipart/form-data") === "string";
}

/** The files of a form that was read; one that was received on the disk has a `path`. */
export function filesIn({ files }: Request): Express.Multer.File[] {
  return Array.isArray(files) ? files : [];
}

/** The file of a form that takes one, in `file` or whatever its field is called. */
export function fileIn(req: Request): Buffer | undefined {
  const files = filesIn(req);
  return (files.find(({ fieldname }) => fieldname === "file") ?? files[0])?.buffer;
}
