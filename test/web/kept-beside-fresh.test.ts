import * as fc from "fast-check";
import { afterAll, beforeAll, describe, it } from "vitest";
import { finishJobs } from "../support/world/doctor.ts";
import { mutedWordId } from "../../src/domain/graph/muted-words.ts";
import { hiddenFields } from "../support/inspect/page.ts";
import type { Visitor } from "../support/actors/visitor.ts";
import { BesideFresh } from "../support/world/beside-fresh.ts";
import { runs } from "../support/models/property-runs.ts";

const minute = 60_000;

describe("kept and fresh pages", () => {
  let sites: BesideFresh;
  const names = ["ann", "ben", "cat"];
  /** Timelines of the list that each user has. */
  const lists: string[] = [];
  beforeAll(async () => {
    sites = await BesideFresh.begin(names);
    for (const name of names) {
      const made = await visitorAt(lists.length)
        .post("/lists", { title: `List of ${name}` })
        .expect(303);
      lists.push((made.headers["location"] ?? "").replace("/members", ""));
    }
  });
  afterAll(() => sites.close());

  const visitorAt = (nth: number) => (sites.readers[nth] as { kept: Visitor }).kept;

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
      const stranger = visitorAt(3);
      const found = await Promise.all(
        names.map(async (name) => await stranger.see(`/@${name}/replies`)),
      );
      tweets = found.flat().map(({ id }) => id);
    };
    await fc.assert(
      fc.asyncProperty(fc.array(acts, { minLength: 5, maxLength: 14 }), async (happened) => {
        for (const act of happened) {
          await perform(act, tweets);
          await finishJobs(sites.world);
          if (act.does === "post" || act.does === "reply" || act.does === "delete") await refresh();
          const tweet = `/tweets/${tweets[act.what % tweets.length] ?? 1}${pageOf(act)}`;
          const paths = ["/", tweet, ...listed(act)];
          for (let turn = 0; turn < 2; turn += 1) await sites.ask(paths);
          await sites.compare(paths);
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
    const visitor = visitorAt(who);
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
      await visitor.post("/home/read", {
        upto: String((sites.world.ctx.now() - what * minute) * 1000),
      });
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
    else if (does === "pass") sites.world.pass(what * 7 * minute);
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
