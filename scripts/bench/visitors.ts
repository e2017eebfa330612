import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { acceptEncoding, type Who } from "./load.ts";

/** An answer, as it came. */
export interface Answer {
  encoding: string;
  /** Compressed; in chunks where the answer has no Content-Length. */
  body: Buffer;
}

/**
 * Connections to one server that ask for one page at a time each, with as little work of their own as can be, so
 * that the server is what is measured.
 */
export class Visitors {
  readonly #connections: Promise<Socket>[];

  constructor(url: string, connections: number) {
    const { hostname, port } = new URL(url);
    this.#connections = Array.from({ length: connections }, async () => {
      const socket = connect(Number(port), hostname);
      await once(socket, "connect");
      return socket;
    });
  }

  /** One visit of each asker; resolves to the answers, in order. Throws if one is not 200. */
  async visit(path: string, askers: Who[]): Promise<Answer[]> {
    const answers: Answer[] = [];
    let next = 0;
    const visitAll = async (connection: Promise<Socket>) => {
      const socket = await connection;
      for (let nth = next++; nth < askers.length; nth = next++)
        answers[nth] = await ask(socket, path, askers[nth] ?? {});
    };
    await Promise.all(this.#connections.map(visitAll));
    return answers;
  }

  async leave(): Promise<void> {
    for (const socket of await Promise.all(this.#connections)) socket.destroy();
  }
}

async function ask(socket: Socket, path: string, { cookie, authorization }: Who): Promise<Answer> {
  const identity =
    authorization === undefined ? `Cookie: ${cookie}` : `Authorization: ${authorization}`;
  socket.write(
    `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept-Encoding: ${acceptEncoding}\r\n${identity}\r\n\r\n`,
  );
  const pieces: Buffer[] = [];
  return await new Promise((resolve, reject) => {
    const take = (piece: Buffer) => {
      pieces.push(piece);
      try {
        const answer = whole(pieces.length === 1 ? piece : Buffer.concat(pieces));
        if (answer === undefined) return;
        socket.off("data", take).off("close", refuse);
        resolve(answer);
      } catch (error) {
        // Thrown on here, it would end all parts of the bench.
        reject(error);
      }
    };
    const refuse = () => reject(new Error("the server closed a connection"));
    socket.on("data", take).once("close", refuse);
  });
}

/** Undefined until all of the answer has come. */
function whole(bytes: Buffer): Answer | undefined {
  const end = bytes.indexOf("\r\n\r\n");
  if (end === -1) return undefined;
  const head = bytes.toString("latin1", 0, end);
  if (!head.startsWith("HTTP/1.1 200 ")) throw new Error(head.split("\r\n")[0]);
  const body = bytes.subarray(end + 4);
  const length = /^content-length: (\d+)/im.exec(head)?.[1];
  const isWhole =
    length === undefined ? body.subarray(-5).equals(lastChunk) : body.length >= Number(length);
  if (!isWhole) return undefined;
  return { encoding: /^content-encoding: (\w+)/im.exec(head)?.[1] ?? "", body };
}

const lastChunk = Buffer.from("0\r\n\r\n");
