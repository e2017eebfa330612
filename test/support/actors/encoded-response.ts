import { request } from "node:http";
import * as zlib from "node:zlib";

/** An answer as it travels: compressed, if it is. */
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
  return await new Promise((resolve, reject) => {
    const asked = request({ host: "127.0.0.1", port, path, headers }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on("data", (chunk: Buffer) => chunks.push(chunk));
      answer.on("end", () =>
        resolve({
          status: answer.statusCode ?? 0,
          headers: answer.headers,
          body: Buffer.concat(chunks),
        }),
      );
    });
    asked.on("error", reject);
    asked.end();
  });
}

export function decode({ headers, body }: EncodedResponse): Buffer {
  const encoding = headers["content-encoding"];
  if (encoding === "zstd") return zstd.zstdDecompressSync?.(body) ?? body;
  if (encoding === "br") return zlib.brotliDecompressSync(body);
  return encoding === "gzip" ? zlib.gunzipSync(body) : body;
}
