import { request as ask, type IncomingMessage } from "node:http";

export interface ReceivedEvent {
  event: string;
  id: string | undefined;
  data: string;
}

/** An open stream of events like a browser's EventSource, without reconnecting. */
export interface EventStream {
  status: number;
  headers: IncomingMessage["headers"];
  heard: ReceivedEvent[];
  /** All received text. */
  raw(): string;
  /** Resolves once such an event has come; rejects after 20 s. */
  hears(event: string, data: string): Promise<ReceivedEvent>;
  /** Resolves to the first such event whose data passes `isIt`; rejects after 20 s. */
  hearsOf(event: string, isIt: (data: string) => boolean): Promise<ReceivedEvent>;
  /** Resolves once the server has ended it. */
  ended: Promise<void>;
  leave(): void;
}

export async function openEventStream(
  port: number,
  path: string,
  headers: Record<string, string>,
): Promise<EventStream> {
  const accept = { Accept: "text/event-stream", "Accept-Encoding": "gzip, br", ...headers };
  const sent = ask({ host: "127.0.0.1", port, path, headers: accept, agent: false });
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    sent.once("response", resolve).once("error", reject).end();
  });
  const heard: ReceivedEvent[] = [];
  let raw = "";
  let rest = "";
  answer.setEncoding("utf8").on("data", (text: string) => {
    raw += text;
    const parts = (rest + text).split("\n\n");
    rest = parts.pop() ?? "";
    heard.push(...parts.flatMap(parse));
  });
  answer.on("error", () => {});
  const ended = new Promise<void>((resolve) => {
    answer.once("close", () => resolve());
  });
  async function hearsOf(event: string, isIt: (data: string) => boolean): Promise<ReceivedEvent> {
    for (let tries = 0; tries < 400; tries += 1) {
      const found = heard.find((one) => one.event === event && isIt(one.data));
      if (found !== undefined) return found;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error(`no such ${event} among ${JSON.stringify(heard)}`);
  }
  return {
    status: answer.statusCode ?? 0,
    headers: answer.headers,
    heard,
    raw: () => raw,
    hears: (event, data) => hearsOf(event, (said) => said === data),
    hearsOf,
    ended,
    leave: () => void sent.destroy(),
  };
}

function parse(block: string): ReceivedEvent[] {
  const read = (field: string) => new RegExp(`^${field}: (.*)$`, "m").exec(block)?.[1];
  const event = read("event");
  return event === undefined ? [] : [{ event, id: read("id"), data: read("data") ?? "" }];
}
