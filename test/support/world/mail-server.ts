import type { AddressInfo } from "node:net";
import PostalMime, { type Email } from "postal-mime";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";
import { vi } from "vitest";

/** A mail as it arrived. */
export interface ArrivedMail {
  /** Recipients of the envelope. */
  to: string[];
  /** The whole message, as it came over the connection. */
  raw: string;
  subject: string;
  text: string;
  headers: Email["headers"];
  from: string;
  /** Name of the sender. */
  sender: string;
}

/** A mail server on a port of this machine. */
export interface MailServer {
  url: string;
  arrived: ArrivedMail[];
  /** Resolves to the newest mail to an address, once there is one; `nth` counts from 1. */
  mailTo(address: string, nth?: number): Promise<ArrivedMail>;
  close(): Promise<void>;
}

const patience = { timeout: 15_000, interval: 20 };

/** `options` say how it refuses. */
export async function startMailServer(
  options: SMTPServerOptions = {},
  { host = "127.0.0.1", port: at = 0 }: { host?: string; port?: number } = {},
): Promise<MailServer> {
  const arrived: ArrivedMail[] = [];
  const keep = async (message: Buffer, to: string[]) => {
    arrived.push(await parse(message, to));
  };
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS"],
    allowInsecureAuth: true,
    disableReverseLookup: true,
    onData(stream, session, answer) {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        const to = session.envelope.rcptTo.map(({ address }) => address);
        keep(Buffer.concat(chunks), to).then(() => answer(), answer);
      });
    },
    ...options,
  });
  // A client that leaves in the middle is part of the tests.
  server.on("error", () => {});
  await new Promise<void>((resolve) => server.listen(at, host, () => resolve()));
  const { port } = server.server.address() as AddressInfo;
  return {
    url: `smtp://${host}:${port}`,
    arrived,
    async mailTo(address, nth = 1) {
      const found = () => arrived.filter(({ to }) => to.includes(address));
      await vi.waitUntil(() => found().length >= nth, patience);
      return found().at(nth - 1) as ArrivedMail;
    },
    close: async () => await new Promise((resolve) => server.close(() => resolve())),
  };
}

async function parse(message: Buffer, to: string[]): Promise<ArrivedMail> {
  const { subject = "", text = "", headers, from } = await PostalMime.parse(message);
  return {
    to,
    raw: message.toString(),
    subject,
    text,
    headers,
    from: from?.address ?? "",
    sender: from?.name ?? "",
  };
}

/** The path of the link in a mail, which must lead to `origin`. */
export function linkIn({ text }: ArrivedMail, origin: string): string {
  const [link = ""] = /https?:\/\/\S+/.exec(text) ?? [];
  if (!link.startsWith(`${origin}/`)) throw new Error(`no link to ${origin} in ${text}`);
  return link.slice(origin.length);
}
