import { alerts } from "../../src/domain/push/subscriptions.ts";
import { endpoints } from "../../src/web/api/endpoints.ts";
import { openEventStream, type EventStream } from "../support/actors/event-stream.ts";
import type { PushDevice } from "../support/actors/push-device.ts";
import { SocketListener } from "../support/actors/socket-listener.ts";
import { type PushService, startPushService, untilPushed } from "../support/world/push-service.ts";
import type { Marked, Member } from "./marked-posts.ts";
import { isOpenId } from "./leaks.ts";
import type { MarkedSite } from "./marked-site.ts";
import type { Line } from "./readers.ts";
import { mayRead } from "./rule.ts";
import type { Sweep } from "./sweep.ts";

/** Names of the streams, by their endpoints: "user:notification". */
const streams = endpoints
  .filter(({ type }) => type === "text/event-stream")
  .map(({ path }) => path.replace("/api/v1/streaming", "").slice(1).replaceAll("/", ":"))
  .filter((name) => name !== "");

/** What comes to a member without being asked for. */
interface Ears {
  member: Member;
  socket: SocketListener;
  events: EventStream[];
  devices: PushDevice[];
  /** Posts that the member might read at some moment: an event may come a moment late. */
  readable: Set<Marked>;
  /** Number of events and pushes that were looked at. */
  heard: number;
}

/** Open streams of each member, on a socket and as events, and pushes to an app and a browser. */
export class Listeners {
  readonly #site: MarkedSite;
  readonly #service: PushService;
  readonly #ears: Ears[] = [];
  /** Number of posts when the streams were opened. */
  readonly #first: number;

  private constructor(site: MarkedSite, service: PushService) {
    this.#site = site;
    this.#service = service;
    this.#first = site.posts.length;
  }

  static async open(site: MarkedSite, port: number, line: Line): Promise<Listeners> {
    const service = await startPushService();
    const listeners = new Listeners(site, service);
    const now = site.world.ctx.now() * 1000;
    for (const member of site.members) {
      const { reader, list } = member;
      const address = `ws://127.0.0.1:${port}/api/v1/streaming`;
      const socket = await new SocketListener(address, [reader.token]).opened();
      for (const stream of streams) socket.subscribe(stream, { tag: "birds", list });
      const bearer = { Authorization: `Bearer ${reader.token}` };
      const events = [
        await openEventStream(port, "/api/v1/streaming/user", bearer),
        await openEventStream(port, "/api/v1/streaming/public", bearer),
        await openEventStream(port, `/live?after=${now}`, { Cookie: reader.cookie }),
      ];
      const devices = await turnOnPushes(service, line, member);
      listeners.#ears.push({ member, socket, events, devices, readable: new Set(), heard: 0 });
    }
    listeners.notice();
    return listeners;
  }

  /** To be called before and after each change. */
  notice(): void {
    for (const { member, readable } of this.#ears)
      for (const post of this.#site.posts) if (mayRead(member, post)) readable.add(post);
  }

  /** Number of texts that came in all. */
  get count(): number {
    return this.#ears.reduce((sum, { heard }) => sum + heard, 0);
  }

  /** Waits for what is on its way, and compares what has come with the rule. */
  async check(sweep: Sweep): Promise<void> {
    await untilPushed(this.#site.world);
    this.notice();
    for (const ears of this.#ears) {
      const { member, socket, events, devices, readable } = ears;
      this.#checkCounts(ears, sweep);
      const texts = [
        ...socket.heard.splice(0).map((event) => ["a socket", JSON.stringify(event)] as const),
        ...events.flatMap(({ heard }) =>
          heard.splice(0).map((event) => ["a stream", JSON.stringify(event)] as const),
        ),
      ];
      const isKnown = (post: Marked, mark: string) =>
        readable.has(post) || isOpenId({ post, mark });
      for (const [where, text] of texts)
        sweep.check(member.reader, where, text.replaceAll("\\", ""), isKnown);
      const pushes = devices.flatMap((device) => this.#service.texts(device));
      for (const push of pushes)
        sweep.check(
          member.reader,
          "a push",
          JSON.stringify(push),
          // A push tells no words of a message, unless its user wants that.
          (post, mark) =>
            readable.has(post) && !(post.audience === "mentioned" && mark.startsWith("hush")),
        );
      ears.heard += texts.length + pushes.length;
    }
    this.#service.arrived.length = 0;
  }

  /** An open page counts new tweets of home: those that the member may read. */
  #checkCounts({ member, events, readable }: Ears, { leaks }: Sweep): void {
    const news = this.#site.posts.slice(this.#first);
    const most = news.filter((post) => post.author !== member && readable.has(post)).length;
    for (const { event, data } of events.flatMap(({ heard }) => heard))
      if (event === "home" && Number(data) > most)
        leaks.push(`${member.name} gets a count of ${data} new tweets, and may read ${most}`);
  }

  async close(): Promise<void> {
    for (const { socket, events } of this.#ears) {
      socket.socket.terminate();
      for (const stream of events) stream.leave();
    }
    await this.#service.close();
  }
}

/** Pushes of everything, to an app and to a browser. */
async function turnOnPushes(
  service: PushService,
  line: Line,
  { reader }: Member,
): Promise<PushDevice[]> {
  const [phone, browser] = [service.device(), service.device()];
  const wanted = alerts.map((alert) => [`data[alerts][${alert}]`, "true"]);
  const answers = [
    await line.ask(reader, {
      method: "POST",
      path: "/api/v1/push/subscription",
      body: {
        "subscription[endpoint]": phone.endpoint,
        "subscription[keys][p256dh]": phone.keys.p256dh,
        "subscription[keys][auth]": phone.keys.auth,
        "subscription[standard]": "true",
        ...(Object.fromEntries(wanted) as Record<string, string>),
      },
    }),
    await line.ask(reader, {
      method: "POST",
      path: "/settings/push",
      body: { endpoint: browser.endpoint, ...browser.keys, alerts: "mention", policy: "all" },
    }),
  ];
  if (answers.some(({ status }) => status >= 400))
    throw new Error(
      `pushes are refused: ${answers
        .map(({ text }) => text)
        .join(" ")
        .slice(0, 300)}`,
    );
  return [phone, browser];
}
