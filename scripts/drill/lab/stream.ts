import { Agent, request } from "node:http";

/** A page that is open and hears of what is new. */
export interface Stream {
  status: number;
  /** How it ended: "complete" as the site wanted it, or cut off. */
  ended: Promise<"complete" | "reset">;
  close(): void;
}

export async function openStream(url: string, headers: Record<string, string>): Promise<Stream> {
  return await new Promise((resolve) => {
    const asked = request(`${url}/live`, {
      agent: new Agent(),
      headers: { ...headers, Accept: "text/event-stream" },
    });
    const close = () => asked.destroy();
    asked.on("error", () => resolve({ status: 0, ended: Promise.resolve("reset"), close }));
    asked.on("response", (answer) => {
      answer.resume();
      const ended = new Promise<"complete" | "reset">((settle) => {
        answer
          .on("error", () => settle("reset"))
          .on("close", () => {
            settle(answer.complete ? "complete" : "reset");
          });
      });
      resolve({ status: answer.statusCode ?? 0, ended, close });
    });
    asked.end();
  });
}
