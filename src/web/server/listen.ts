import { createServer, type RequestListener, type Server } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import type { Config } from "../../config.ts";
import { drainable } from "./drain.ts";
import { acceptUpgrades } from "./upgrades.ts";
import { boundReaders, inTurn } from "./slow-readers.ts";

/** Max time that the previous process of a restarted site needs to release the port. */
const portPatience = 6000;
/** Limits for slow requests, as OWASP recommends. Keep-alive is longer than that of Heroku's router. */
const timeouts = {
  headersTimeout: 15_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 95_000,
  /** How often the first two are checked. With Node's default of 30 s they could be exceeded by as much. */
  connectionsCheckingInterval: 2000,
};

export interface Listening {
  url: string;
  /** Answers the requests already sent, then accepts no more; see drainable. */
  close(): Promise<void>;
}

/**
 * Starts the server. If the port stays taken, throws an error that names the remedy. `onEnding` is called
 * when `close` begins and must end open streams.
 */
export async function listen(
  app: RequestListener,
  config: Config,
  onEnding: () => void = () => {},
): Promise<Listening> {
  const server = createServer(timeouts, inTurn(app));
  acceptUpgrades(server, app);
  boundReaders(server);
  const close = drainable(server, onEnding);
  const deadline = Date.now() + portPatience;
  while (!(await tryListen(server, config))) {
    if (Date.now() > deadline) throw portTaken(config.port);
    await pause(200);
  }
  return { url: urlOf(server, config), close };
}

/** False if the port is taken; throws for any other reason. */
async function tryListen(server: Server, { port, host }: Config): Promise<boolean> {
  return await new Promise((resolve, reject) => {
    const onError = (error: NodeJS.ErrnoException) => {
      server.off("listening", onListening);
      if (error.code === "EADDRINUSE") resolve(false);
      else reject(cannotListen(error, { port, host }));
    };
    const onListening = () => {
      server.off("error", onError);
      resolve(true);
    };
    server.once("error", onError);
    server.once("listening", onListening);
    server.listen({ port, host });
  });
}

/** Names the setting that is wrong. */
function cannotListen(
  error: NodeJS.ErrnoException,
  { port, host }: Pick<Config, "port" | "host">,
): Error {
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
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : config.port;
  const { host } = config;
  const name = host === undefined || host === "127.0.0.1" || host === "::" ? "localhost" : host;
  return config.baseUrl ?? `http://${name.includes(":") ? `[${name}]` : name}:${port}`;
}
