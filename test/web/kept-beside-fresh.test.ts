import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { mutedWordId } from "../../src/domain/graph/muted-words.ts";
import { type Memory, startMemory } from "../../src/redis/memory.ts";
import { createApp } from "../../src/web/app.ts";
import { expectSame } from "../support/inspect/expect-same.ts";
import { hiddenFields } from "../support/inspect/page.ts";
import { Visitor } from "../support/actors/visitor.ts";
import { createWorld, appOptions, type World } from "../support/world/world.ts";
import { runs } from "../support/models/property-runs.ts";

const minute = 60_000;
/** A test asks from another port each time. */
const baseUrl = "http://site.test";

describe("kept and fresh pages", () => {
  let world: World;
  let memory: Memory;
  let fresh: ReturnType<typeof createApp>;
  const names = ["ann", "ben", "cat"];
  /** Timelines of the list that each user has. */
  const lists: string[] = [];
  const visitors: { kept: Visitor; fresh: Visitor }[] = [];
  beforeAll(async () => {
    world = await createWorld({ baseUrl });
    memory = startMemory(world.ctx.redis, { bytes: 0 });
    const ctx = { ...world.ctx, memory, config: { ...world.ctx.config, memoryBytes: 0 } };
    fresh = createApp(ctx, appOptions);
    for (const name of names) {
      const kept = await world.newcomer(name);
      visitors.push({ kept, fresh: sameBrowser(kept) });
      const made = await kept.post("/lists", { title: `List of ${name}` }).expect(303);
      lists.push((made.headers["location"] ?? "").replace("/members", ""));
    }
    const kept = world.visitor();
    visitors.push({ kept, fresh: sameBrowser(kept) });
  });
  afterAll(async () => {
    memory.close();
    await world.close();
  });

  /** Asks the other site with the same cookies. */
  function sameBrowser(visitor: Visitor): Visitor {
    const other = new Visitor(fresh);
    other.agent.jar = visitor.agent.jar;
    return other;
  }

  const onPeople = new Set(
    "follow unfollow block unblock mute unmute hide-retweets show-retweets notify unnotify".split(
      " ",
    ),
  );
  const acts = fc.record({
    does: fc.constantFrom(
      ...(["post", "reply", "like", "unlike", "retweet", "delete", "follow", "unfollow"] as const),
      ...([
        "block",
        "unblock",
        "mute",
        "unmute",
        "rename",
        "muteWord",
        "muteForADay",
        "muteTalk",
        "hide-retweets",
        "show-retweets",
        "notify",
        "unnotify",
        "followTag",
        "readHome",
        "pass",
        "look",
        "list",
        "edit",
      ] as const),
    ),
    who: fc.nat({ max: 2 }),
    whom: fc.nat({ max: 2 }),
    what: fc.nat({ max: 5 }),
  });

  it("kept pages equal fresh pages for every viewer, whatever happens in between", async () => {
    let tweets: string[] = [];
    const refresh = async () => {
      const { kept } = visitors[3] as { kept: Visitor };
      const found = await Promise.all(
        names.map(async (name) => await kept.see(`/@${name}/replies`)),
      );
      tweets = found.flat().map(({ id }) => id);
    };
    await fc.assert(
      fc.asyncProperty(fc.array(acts, { minLength: 5, maxLength: 14 }), async (happened) => {
        for (const act of happened) {
          await perform(act, tweets);
          await world.delivered();
          if (act.does === "post" || act.does === "reply" || act.does === "delete") await refresh();
          await compareAll([
            "/",
            `/tweets/${tweets[act.what % tweets.length] ?? 1}${pageOf(act)}`,
            ...listed(act),
          ]);
        }
      }),
      runs(12, 25_000),
    );
  });

  const listed = ({ what, who, whom }: { what: number; who: number; whom: number }) => {
    const name = names[whom] ?? "";
    const ofName = ["", "/replies", "/likes"].map((tab) => `/@${name}${tab}`);
    const all = ["/explore", ...ofName, "/tags/birds", lists[who] ?? "/lists"];
    const search = `/search?q=${what % 2 === 0 ? "sparrow" : "name"}`;
    return [all[what % all.length] ?? "/", `/@${name}`, "/notifications", search];
  };

  async function perform(
    { does, who, whom, what }: { does: string; who: number; whom: number; what: number },
    tweets: string[],
  ): Promise<void> {
    const { kept: visitor } = visitors[who] as { kept: Visitor };
    const other = names[whom] ?? "";
    const id = tweets[what % Math.max(1, tweets.length)] ?? "1";
    const word = { word: "sparrow", duration: "ever", filter: mutedWordId("sparrow") };
    if (does === "post") await visitor.tweet(`A sparrow ${what} #birds @${other}`);
    else if (does === "reply") await reply(visitor, id);
    else if (does === "edit") await edit(visitor, id, `An owl ${what} #birds @${other}`, what);
    else if (["like", "unlike", "retweet", "delete"].includes(does))
      await visitor.post(`/tweets/${id}/${does}`);
    else if (onPeople.has(does)) await visitor.post(`/@${other}/${does}`);
    else if (does === "muteForADay") await visitor.post(`/@${other}/mute`, { duration: "1" });
    else if (does === "muteTalk")
      await visitor.post(`/tweets/${id}/${what < 4 ? "mute" : "unmute"}`);
    else if (does === "followTag")
      await visitor.post(`/tags/birds/${what < 4 ? "follow" : "unfollow"}`);
    else if (does === "readHome")
      await visitor.post("/home/read", { upto: String((world.ctx.now() - what * minute) * 1000) });
    else if (does === "list") {
      const members = `${lists[who]}/members`;
      if (what < 4) await visitor.post(members, { name: other });
      else await visitor.post(`${members}/@${other}/remove`);
    } else if (does === "rename")
      await visitor.post("/settings/profile", { fullname: `Name ${what}`, bio: `Bio ${what}` });
    else if (does === "muteWord")
      await visitor.post(what < 3 ? "/settings/muted" : "/settings/muted/remove", {
        ...word,
        action: what === 2 ? "warn" : "hide",
        ...(what === 1 ? { public: "on" } : {}),
      });
    else if (does === "pass") world.pass(what * 7 * minute);
  }

  /** All at once, twice, and then one after the other as they are without any memory. */
  async function compareAll(paths: string[]): Promise<void> {
    const asked = visitors.flatMap((visitor) => paths.map((path) => ({ ...visitor, path })));
    for (let turn = 0; turn < 2; turn += 1)
      await Promise.all(asked.map(async ({ kept, path }) => await kept.get(path)));
    const shown = await Promise.all(asked.map(async ({ kept, path }) => await kept.get(path)));
    for (const [nth, { fresh: other, path }] of asked.entries()) {
      const made = await other.get(path);
      const answer = shown[nth];
      expect({ path, status: answer?.status }).toEqual({ path, status: made.status });
      expectSame(essence(answer?.text ?? ""), essence(made.text), path);
    }
  }
});

/** After some edits the history instead of the tweet. */
function pageOf({ does, what }: { does: string; what: number }): string {
  return does === "edit" && what < 4 ? "/history" : "";
}

async function reply(visitor: Visitor, id: string): Promise<void> {
  const { text: page } = await visitor.get(`/tweets/${id}`);
  const fields = hiddenFields(page, "/tweets");
  if ("reply_to" in fields) await visitor.post("/tweets", { ...fields, text: "so it is" });
}

/** Refused for tweets of others, and late. */
async function edit(visitor: Visitor, id: string, text: string, what: number): Promise<void> {
  const warning = what % 2 === 0 ? "" : `Owls ${what}`;
  await visitor.post(`/tweets/${id}/edit`, { text, warning });
}

/** Without what is drawn anew for each page, and the column that is renewed by time. */
function essence(page: string): string {
  return page
    .replace(/name="nonce" value="[^"]*"/g, "")
    .replace(/<aside class="side.*<\/aside>/s, "")
    .replace(/[\w-]{36}(?=<\/code>)/g, "");
}
