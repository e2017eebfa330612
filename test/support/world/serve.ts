import { request as httpRequest, type Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import type { Express } from "express";
import { acceptUpgrades } from "../../../src/web/server/upgrades.ts";

export interface RawResponse {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
}

export interface RawRequest {
  method: string;
  /** Sent unchanged, escapes included. */
  path: string;
  headers?: Record<string, string>;
  body?: string | undefined;
}

export interface Site {
  port: number;
  /** Sends what client libraries would correct or refuse. */
  send(question: RawRequest): Promise<RawResponse>;
  close(): Promise<void>;
}

/** Starts the site on a port of the loopback interface. */
export async function serve(app: Express): Promise<Site> {
  const server = await new Promise<Server>((resolve) => {
    const listening = app.listen(0, "127.0.0.1", () => resolve(listening));
  });
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  acceptUpgrades(server, app);
  const { port } = server.address() as AddressInfo;
  return {
    port,
    send: (question) => send(port, question),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

async function send(port: number, question: RawRequest): Promise<RawResponse> {
  const { body, ...answer } = await sendRaw(port, question);
  return { ...answer, text: body.toString() };
}

/** Resolves to the answer with its body as it was sent, compressed or not. */
export async function sendRaw(
  port: number,
  { method, path, headers, body }: RawRequest,
): Promise<Omit<RawResponse, "text"> & { body: Buffer }> {
  return await new Promise((resolve, reject) => {
    const sent = httpRequest({ host: "127.0.0.1", port, method, path, headers }, (answer) => {
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
    sent.on("error", reject);
    sent.end(body);
  });
}

/** A form whose head is sent, and whose body waits for `finish`. */
export async function sendSlowly(
  port: number,
  {
    method = "POST",
    path,
    cookie,
    body,
    type = "application/x-www-form-urlencoded",
  }: { method?: string; path: string; cookie: string; body: string; type?: string },
): Promise<{ finish(): Promise<string> }> {
  const socket = connect(port, "127.0.0.1");
  let answer = "";
  socket.setEncoding("utf8").on("data", (chunk) => (answer += String(chunk)));
  const closed = new Promise<void>((resolve) => {
    socket.once("close", () => resolve());
  });
  socket.write(
    `${method} ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nCookie: ${cookie}\r\n` +
      `Content-Type: ${type}\r\n` +
      `Content-Length: ${body.length}\r\n\r\n`,
  );
  return {
    async finish() {
      socket.write(body);
      await closed;
      return answer;
    },
  };
}
