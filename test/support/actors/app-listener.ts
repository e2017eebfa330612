import { parseScopes } from "../../../src/domain/apps/scopes.ts";
import { storeToken, newToken } from "../../../src/domain/apps/tokens.ts";
import { type ClientId, parseClientId } from "../../../src/domain/ids.ts";
import { getUserByName } from "../../../src/domain/users/store.ts";
import { type ReceivedEvent, type EventStream, openEventStream } from "./event-stream.ts";
import type { World } from "../world/world.ts";

const app = parseClientId("s".repeat(32)) as ClientId;

/** A token as the authorization creates it. */
export async function tokenFor({ ctx }: World, name: string, scopes = "read"): Promise<string> {
  const { id: user } = await getUserByName(ctx, name);
  const { token, location } = newToken({ app, user });
  await storeToken(ctx, location, { app, scopes: parseScopes(scopes) ?? new Set() });
  return token;
}

/** A client of the streaming API. */
export class AppListener {
  readonly stream: EventStream;

  private constructor(stream: EventStream) {
    this.stream = stream;
  }

  static async open(port: number, path: string, token: string): Promise<AppListener> {
    const headers = { Authorization: `Bearer ${token}` };
    return new AppListener(await openEventStream(port, `/api/v1/streaming${path}`, headers));
  }

  /** Resolves to the status with this text. */
  async hearsTweet(text: string): Promise<ReceivedEvent & { status: { id: string } }> {
    const heard = await this.stream.hearsOf("update", (data) => contentIn(data).includes(text));
    return { ...heard, status: JSON.parse(heard.data) as { id: string } };
  }

  async hearsNotification(
    type: string,
  ): Promise<ReceivedEvent & { body: Record<string, unknown> }> {
    const isIt = (data: string) => (JSON.parse(data) as { type: string }).type === type;
    const heard = await this.stream.hearsOf("notification", isIt);
    return { ...heard, body: JSON.parse(heard.data) as Record<string, unknown> };
  }

  /** Texts of all updates so far, without markup. */
  get texts(): string[] {
    return this.stream.heard
      .filter(({ event }) => event === "update")
      .map(({ data }) => contentIn(data).replaceAll(/<[^>]*>/g, ""));
  }

  get events(): string[] {
    return this.stream.heard.map(({ event }) => event);
  }
}

interface Status {
  content: string;
  reblog: Status | null;
}

function contentIn(data: string): string {
  const { content, reblog } = JSON.parse(data) as Status;
  return reblog?.content ?? content;
}
