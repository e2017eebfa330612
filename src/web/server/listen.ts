import { once } from "node:events";
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from "node:http";
import { setImmediate as turn, setTimeout as pause } from "node:timers/promises";
import type { Config } from "../../config.ts";
import { bodyMilliseconds } from "../request/held-bodies.ts";
import { acceptUpgrades } from "./upgrades.ts";
import { boundReaders, inTurn } from "./slow-readers.ts";
import type { AddressInfo, Socket } from "node:net";

/** Max time that the previous process of a restarted site needs to release the port. */
const portPatience = 6000;
/**
 * Limits for slow requests, as OWASP recommends; files of a slow line may take longer than forms (held-bodies.ts).
 * Keep-alive is longer than that of Heroku's router.
 */
const timeouts = {
  headersTimeout: 15_000,
  requestTimeout: 10 * 60_000,
  keepAliveTimeout: 95_000,
  /** How often the first two are checked. With Node's default of 30 s they could be exceeded by as much. */
  connectionsCheckingInterval: 2000,
};

export interface Listening {
  url: string;
  /** Answers the requests already sent, then accepts no more; see drainable. */
  close(): Promise<void>;
}

/** Starts the server. If the port stays taken, throws the remedy. `close` begins with `onEnding`: it ends streams. */
export async function listen(
  app: RequestListener,
  config: Config,
  onEnding: () => void = () => {},
): Promise<Listening> {
  const server = createServer(timeouts, inTurn(app));
  acceptUpgrades(server, app);
  boundReaders(server);
  server.on("request", endUnread);
  const close = drainable(server, onEnding);
  const deadline = Date.now() + portPatience;
  while (!(await tryListen(server, config))) {
    if (Date.now() > deadline) throw portTaken(config.port);
    await pause(200);
  }
  return { url: urlOf(server, config), close };
}

/** Once a request is answered, what is left of its body is not waited for. */
function endUnread(req: IncomingMessage, res: ServerResponse): void {
  const { "content-length": length = "0", "transfer-encoding": encoding } = req.headers;
  if (length === "0" && encoding === undefined) return;
  res.once("finish", () => {
    if (!req.complete) setTimeout(() => req.complete || req.destroy(), bodyMilliseconds).unref();
  });
}

/** False if the port is taken; throws for any other reason. */
async function tryListen(server: Server, config: Config): Promise<boolean> {
  server.listen({ port: config.port, host: config.host });
  return await once(server, "listening").then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === "EADDRINUSE") return false;
      throw cannotListen(error, config);
    },
  );
}

function cannotListen(error: NodeJS.ErrnoException, { port, host }: Config): Error {
  const setting = error.code === "EACCES" ? `PORT=${port}` : `HOST=${host ?? ""}`;
  const remedies: Record<string, string> = {
    EACCES: "only root may use ports below 1024: take another one and put a proxy in front",
    EADDRNOTAVAIL: "this machine has no such address",
    ENOTFOUND: "there is no such host",
  };
  const remedy = remedies[error.code ?? ""] ?? "this address cannot be used";
  return new Error(`${setting}: ${remedy} (${error.message})`, { cause: error });
}

function portTaken(port: number): Error {
  const other = port === 65_535 ? port - 1 : port + 1;
  return new Error(
    `Port ${port} is taken by another program. Remedy: stop it, or PORT=${other} npm start`,
  );
}

function urlOf(server: Server, config: Config): string {
  const { port } = server.address() as AddressInfo;
  const { host } = config;
  const name = host === undefined || host === "127.0.0.1" || host === "::" ? "localhost" : host;
  return config.baseUrl ?? `http://${name.includes(":") ? `[${name}]` : name}:${port}`;
}

/** Requests on their way arrive, and load balancers see that /readyz refuses. */
const noticeMilliseconds = 1000;
/** If nothing new arrives for this long, everything that was sent has been read. */
const quietMilliseconds = 50;
/** Max wait for such a quiet moment. */
const noiseMilliseconds = 2000;
/** Max wait for a moment in which no connection waits in the kernel: closing the port would reset it. */
const waitMilliseconds = 5000;
/** Milliseconds of a short turn of the event loop. */
const shortTurn = 1;
/** Max time for open requests. Platforms wait 30 s between SIGTERM and SIGKILL. */
const drainMilliseconds = 18_000;

/**
 * Watches the requests of a server that does not listen yet. Returns a function that ends the server: for about a
 * second the server still listens, and each answer says "Connection: close". Then it accepts nothing new, finishes open
 * requests and closes idle connections. Requests sent before the end are answered, not reset. If clients connect
 * without a pause, the port is closed between two of them. `onEnding` is called first and must end open streams.
 */
export function drainable(server: Server, onEnding: () => void): () => Promise<void> {
  /**
   * Open responses by connection. Responses to pipelined requests may never begin, so they emit no event of their own.
   */
  const open = new Map<Socket, Set<ServerResponse>>();
  let arrivals = 0;
  let connections = 0;
  let ended: Promise<void> | undefined;
  server.on("connection", (socket: Socket) => {
    arrivals += 1;
    connections += 1;
    open.set(socket, new Set());
    socket.once("close", () => open.delete(socket));
  });
  server.prependListener("request", ({ socket }, res: ServerResponse) => {
    arrivals += 1;
    const responses = open.get(socket);
    responses?.add(res);
    res.once("close", () => responses?.delete(res));
    if (ended !== undefined) sayClose(res);
  });
  const untilQuiet = async () => {
    const latest = performance.now() + noiseMilliseconds;
    for (let before = -1; before !== arrivals && performance.now() < latest;) {
      before = arrivals;
      await pause(quietMilliseconds);
    }
  };
  /** Each turn of the event loop accepts all connections that wait: after a short turn without any, none waits. */
  const untilNoneWaits = async () => {
    const latest = performance.now() + waitMilliseconds;
    for (let isShort = false; !isShort && performance.now() < latest;) {
      const began = performance.now();
      const before = connections;
      await turn();
      isShort = connections === before && performance.now() - began < shortTurn;
    }
  };
  const end = async () => {
    const deadline = performance.now() + drainMilliseconds;
    onEnding();
    for (const responses of open.values()) for (const res of responses) sayClose(res);
    await pause(noticeMilliseconds);
    await untilQuiet();
    await untilNoneWaits();
    await closeBy(deadline, server, open);
  };
  return async () => await (ended ??= end());
}

function sayClose(res: ServerResponse): void {
  if (!res.headersSent) res.setHeader("Connection", "close");
}

/** Accepts no new connection, and cuts those that are still busy at the deadline. */
async function closeBy(deadline: number, server: Server, open: ReadonlyMap<Socket, unknown>) {
  await new Promise<void>((resolve) => {
    // Answers that had begun before the end left their connection open.
    const sweep = setInterval(() => {
      // The server does not know WebSockets any more.
      if (performance.now() > deadline) for (const socket of open.keys()) socket.destroy();
      else server.closeIdleConnections();
    }, quietMilliseconds);
    server.close(() => {
      clearInterval(sweep);
      resolve();
    });
  });
}
