import { request } from "node:http";
import { brotliDecompressSync, gunzipSync } from "node:zlib";

/** An answer as it travels: compressed, if it is. */
export interface Sent {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
}

/** Test clients decompress what they get; this one does not. */
export async function getAsSent(
  port: number,
  path: string,
  headers: Record<string, string> = {},
): Promise<Sent> {
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

export function decoded({ headers, body }: Sent): Buffer {
  const encoding = headers["content-encoding"];
  if (encoding === "br") return brotliDecompressSync(body);
  return encoding === "gzip" ? gunzipSync(body) : body;
}
