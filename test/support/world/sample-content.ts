import { getUserByName } from "../../../src/domain/users/store.ts";
import { measureSite } from "../../../src/domain/site/growth.ts";
import { keys } from "../../../src/redis/keys.ts";
import { TestApp } from "../actors/test-app.ts";
import type { World } from "./world.ts";
import type { Visitor } from "../actors/visitor.ts";

export interface SampleContent {
  /** Parameters of routes: a user with tweets, a tweet with replies, a tag in use. */
  values: Record<string, string>;
  /** URL at which an app asks for authorization. */
  authorize: string;
}

const sayings = [
  "Good morning, 雀! #birds https://example.org/a/long/way?with=query and seeds",
  "مرحبا بالعالم، هذا نص من اليمين إلى اليسار #birds",
  "W".repeat(200),
  "今日は雀が軒先で鳴いています。静かな朝です。",
  "@viewer look at this 🐦\n\nand at this",
];

const blocked = [
  ["word", "casino"],
  ["domain", "evil.example"],
  ["signup", "192.0.2.0/24"],
  ["address", "198.51.100.7"],
];

/** Fills a site. The user "viewer" is an admin if ADMINS says so. */
export async function addSampleContent(world: World): Promise<SampleContent> {
  const viewer = await world.newcomer("viewer");
  const writer = await world.newcomer("writer");
  const spammer = await world.newcomer("spammer");
  await writer.post("/settings/profile", {
    fullname: "Writer 雀 Demo",
    bio: "Writes about #birds with @viewer",
    website: "https://example.org/",
  });
  await viewer.follow("writer");
  await writer.follow("viewer");
  for (const text of sayings) await writer.tweet(text);
  await writer.post("/tweets", { text: "The worm dies", warning: "The end of the early bird" });
  await viewer.tweet("What the viewer says");
  await spammer.tweet("Buy my spam");
  await world.delivered();

  const id = await idOf(writer, "/@writer", "今日は雀");
  const mine = await idOf(viewer, "/@viewer", "What the viewer says");
  const spam = await idOf(spammer, "/@spammer", "Buy my spam");
  await viewer.post("/tweets", { text: "An answer to it", reply_to: id });
  await spammer.post("/tweets", { text: `I quote ${await originOf(viewer)}/tweets/${id}` });
  await spammer.post("/tweets", { text: "Another answer, @viewer", reply_to: mine });
  for (const verb of ["like", "retweet"]) {
    await viewer.post(`/tweets/${id}/${verb}`);
    await writer.post(`/tweets/${mine}/${verb}`);
  }
  await viewer.post(`/tweets/${mine}/pin`);
  await addList(world, id);
  await viewer.post(`/lists/${id}/members`, { name: "writer" });
  await viewer.post("/@spammer/mute");
  await writer.post("/@spammer/block");
  await writer.post(`/tweets/${spam}/report`, { reason: "spam", comment: "It is spam" });
  await viewer.post("/@spammer/report", { reason: "abuse", comment: "Abuse, too" });
  await viewer.post("/settings/muted", { word: "lottery", duration: "week" });
  const begun = await writer.post("/messages/new", { to: "@viewer" });
  const conversation = begun.headers["location"] ?? "";
  await writer.post(conversation, { text: "Just for the viewer" });
  await suspendSomebody(world, viewer);
  await viewer.post("/admin/people/writer", { role: "moderator", note: "Helps out" });
  await viewer.post("/settings/invitations", { uses: "3", days: "7", note: "For friends" });
  for (const [kind = "", text = ""] of blocked) await viewer.post("/admin/blocks", { kind, text });
  const app = await TestApp.register(world);
  await app.tokenFrom(viewer);
  await world.delivered();
  // The admin's page has its lines and tables.
  await measureSite(world.ctx, () => {});
  return {
    values: {
      name: "writer",
      id,
      tag: "birds",
      queue: "deliver",
      people: conversation.replace("/messages/", ""),
    },
    authorize: app.address(),
  };
}

/** A list of the viewer, under the id that stands in routes. */
async function addList(world: World, id: string): Promise<void> {
  const { id: owner } = await getUserByName(world.ctx, "viewer");
  const list = { title: "Test birds", replies: "list", createdAt: 1 };
  await world.ctx.redis.hset(keys.lists(owner), id, JSON.stringify(list));
}

async function suspendSomebody(world: World, admin: Visitor): Promise<void> {
  await world.newcomer("villain");
  const fields = { name: "villain", verb: "suspend", note: "Was no bird", nonce: "form-1" };
  await admin.post("/admin/suspended", fields);
}

async function idOf(visitor: Visitor, path: string, text: string): Promise<string> {
  const tweets = await visitor.see(path);
  const found = tweets.find((tweet) => tweet.text.includes(text));
  if (found === undefined) throw new Error(`no tweet "${text}" on ${path}`);
  return found.id;
}

/** The site's own address. */
async function originOf(visitor: Visitor): Promise<string> {
  const { text } = await visitor.get("/about");
  return /rel="canonical" href="(https?:\/\/[^/"]+)/.exec(text)?.[1] ?? "";
}
