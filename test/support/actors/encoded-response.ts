import * as zlib from "node:zlib";
import { sendRaw } from "../world/serve.ts";

/** An answer as it was sent, compressed or not. */
export interface EncodedResponse {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
}

/** Node has it from 22.15 on. */
const zstd = zlib as { zstdDecompressSync?: (body: Buffer) => Buffer };

export const knowsZstd = zstd.zstdDecompressSync !== undefined;

/** Test clients decompress what they get; this one does not. */
export async function getEncoded(
  port: number,
  path: string,
  headers: Record<string, string> = {},
): Promise<EncodedResponse> {
  return await sendRaw(port, { method: "GET", path, headers });
}

export function decode({ headers, body }: EncodedResponse): Buffer {
  const encoding = headers["content-encoding"];
  if (encoding === "zstd") return zstd.zstdDecompressSync?.(body) ?? body;
  if (encoding === "br") return zlib.brotliDecompressSync(body);
  return encoding === "gzip" ? zlib.gunzipSync(body) : body;
}
