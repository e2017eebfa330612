import { createHash, createHmac } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

/** A bucket that takes what is signed with its secret, and refuses all else as S3 does. */
export interface SignedBucket {
  url: string;
  /** By path. */
  objects: Map<string, Buffer>;
  close(): void;
}

export async function openSignedBucket(secret: string): Promise<SignedBucket> {
  const objects = new Map<string, Buffer>();
  const server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req
      .on("data", (chunk: Buffer) => chunks.push(chunk))
      .on("end", () => {
        const body = Buffer.concat(chunks);
        const isGood =
          digestOf(body) === req.headers["x-amz-content-sha256"] && isSigned(req, secret);
        if (isGood) objects.set(req.url ?? "", body);
        res.writeHead(isGood ? 200 : 403).end();
      });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    objects,
    close: () => void server.close(),
  };
}

const digestOf = (bytes: Buffer | string) => createHash("sha256").update(bytes).digest("hex");
const mac = (key: Buffer | string, text: string) => createHmac("sha256", key).update(text).digest();

/** Signature version 4 of AWS. */
function isSigned({ method, url, headers }: IncomingMessage, secret: string): boolean {
  const form = /Credential=[^/]+\/([^,]+), ?SignedHeaders=([^,]+), ?Signature=(\w+)/;
  const [, scope = "", names = "", signature] = form.exec(headers.authorization ?? "") ?? [];
  const signed = names.split(";");
  const content = headers["x-amz-content-sha256"];
  const lines = signed.map((name) => `${name}:${String(headers[name])}`);
  const asked = [method, url, "", ...lines, "", names, content].join("\n");
  const text = ["AWS4-HMAC-SHA256", headers["x-amz-date"], scope, digestOf(asked)].join("\n");
  const [day = "", ...rest] = scope.split("/");
  const key = rest.reduce((made: Buffer, part) => mac(made, part), mac(`AWS4${secret}`, day));
  return signed.includes("x-amz-content-sha256") && mac(key, text).toString("hex") === signature;
}
