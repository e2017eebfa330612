import type { Request, Response } from "express";
import multer, { MulterError } from "multer";
import { formBytes } from "./body-limits.ts";

/** What a multipart form may have. Its texts have together at most what the room of bodies has. */
interface Parts {
  fields: number;
  files: number;
  /** Max bytes of a file; without it files are read, and not kept. */
  fileBytes?: number;
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

/** Reads the texts of a form into `req.body` and its files into `req.files`, without empty files. */
export function multipart({ fields, files, fileBytes, field, nesting = 0 }: Parts) {
  const limits = {
    fields,
    files,
    parts: fields + files,
    ...(fileBytes === undefined ? {} : { fileSize: fileBytes }),
    fieldSize: formBytes,
    fieldNameSize: 100,
    fieldNestingDepth: nesting,
    headerPairs: 20,
  };
  const reader =
    fileBytes === undefined
      ? multer({ limits, fileFilter: (_req, _file, decide) => decide(null, false) })
      : multer({ limits, storage: multer.memoryStorage() });
  const receive = field === undefined ? reader.any() : reader.array(field);
  return (req: Request, res: Response, end: (bad?: BadParts) => void): void => {
    void receive(req, res, (error: unknown) => {
      req.files = filesIn(req).filter(({ size }) => size > 0);
      if (error === undefined) end();
      else end(badParts(error));
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

/** The files of a form that was read. */
export function filesIn({ files }: Request): Express.Multer.File[] {
  return Array.isArray(files) ? files : [];
}

/** The file of a form that takes one, in `file` or whatever its field is called. */
export function fileIn(req: Request): Buffer | undefined {
  const files = filesIn(req);
  return (files.find(({ fieldname }) => fieldname === "file") ?? files[0])?.buffer;
}
