import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { follow } from "../../src/domain/actions/follow.ts";
import { postTweet } from "../../src/domain/actions/post-tweet.ts";
import { writeSite } from "../../src/domain/site/settings.ts";
import { changeLogo, prepareLogo } from "../../src/domain/site/edit.ts";
import { createUser } from "../../src/domain/users/sign-up.ts";
import { getUserByName } from "../../src/domain/users/store.ts";
import { noise, photo } from "../support/data/pictures.ts";
import { serve, type Site } from "../support/world/serve.ts";
import { sessionCookie } from "../support/inspect/cookies.ts";
import { password } from "../support/actors/visitor.ts";
import { getEncoded } from "../support/actors/encoded-response.ts";
import { createWorld, type World } from "../support/world/world.ts";

const firstVisit = 48_000;
const laterVisit = 12_000;
/** Bytes of HTML, before they are compressed. */
const listedTweet = 1100;
const syllables =
  "ba chi do en fo gra ha ing ju ka lo mi no or pa que ri sta tu un ve wa ya zo 今日 静か 朝 雀 鳴い です".split(
    " ",
  );

describe("home with 50 tweets", () => {
  let world: World;
  let site: Site;
  let headers: Record<string, string>;
  beforeAll(async () => {
    world = await createWorld();
    const reader = await world.newcomer("reader");
    const names = Array.from({ length: 8 }, (_, nth) => `author_${nth}`);
    for (const name of names) {
      const author = await world.newcomer(name);
      await author.post("/settings/profile", {
        fullname: `${name} 雀`,
      });
      await reader.follow(name);
    }
    for (let nth = 0; nth < 60; nth += 1) {
      const { id } = await getUserByName(world.ctx, names[(nth * nth) % 8] ?? "");
      await postTweet(world.ctx, id, { text: textOf(nth) });
    }
    await world.delivered();
    site = await serve(world.app);
    const signedIn = await world.visitor().post("/login", { name: "reader", password });
    headers = { "Accept-Encoding": "gzip, deflate, br", Cookie: sessionCookie(signedIn) };
  });
  afterAll(async () => {
    await site.close();
    await world.close();
  });

  it("home with 50 tweets transfers at most 12 kB with a warm cache, and 48 kB on the first visit", async () => {
    await expectLight();
  });

  it("home stays within 12 kB and 48 kB with an accent and an announcement, its logo apart", async () => {
    await changeLogo(world.ctx, await prepareLogo(await noise()));
    const announcement = "The shed is closed on Sunday. ".repeat(16);
    await writeSite(world.ctx, { name: "Bean Club", accent: "#1d5fa8", announcement });
    await expectLight();
    expect(await fetched("/")).toContainEqual(expect.stringMatching(/^\/logo\/\w+\/favicon\.png$/));
  });

  it("the start page of a site with a logo stays within 48 kB, the logo apart", async () => {
    await changeLogo(world.ctx, await prepareLogo(await photo()));
    const files = await fetched("/", {});
    expect(files).toContainEqual(expect.stringMatching(/^\/logo\/\w+\/logo\.webp$/));
    const accepted = { "Accept-Encoding": "br" };
    const all = await Promise.all(
      ["/", ...files.filter(isOwn)].map((path) => getEncoded(site.port, path, accepted)),
    );
    expect(all.reduce((sum, { body }) => sum + body.length, 0)).toBeLessThanOrEqual(firstVisit);
  });

  const fetched = async (path: string, sent = plain()) =>
    filesOn(String((await getEncoded(site.port, path, sent)).body));
  const plain = (): Record<string, string> => ({ Cookie: headers["Cookie"] ?? "" });

  async function expectLight(): Promise<void> {
    const html = await getEncoded(site.port, "/", headers);
    expect(html.headers["content-encoding"]).toBe("br");
    expect(html.body.length).toBeLessThanOrEqual(laterVisit);
    const page = (await getEncoded(site.port, "/", plain())).body;
    expect(String(page).match(/<article /g)).toHaveLength(50);
    const paths = filesOn(String(page)).filter(isOwn);
    const rest = await Promise.all(paths.map((path) => getEncoded(site.port, path, headers)));
    expect(rest.length).toBeGreaterThan(3);
    for (const { status } of rest) expect(status).toBe(200);
    const bytes = rest.reduce((sum, { body }) => sum + body.length, html.body.length);
    expect(bytes).toBeLessThanOrEqual(firstVisit);
  }
});

describe("home with 50 tweets of 50 people", () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld();
    await world.newcomer("reader");
    const { id: follower } = await getUserByName(world.ctx, "reader");
    for (let nth = 0; nth < 50; nth += 1) {
      const fields = { name: `author_${nth}`, fullname: `Author ${nth}`, pass: "" };
      const author = await createUser(world.ctx, fields);
      await follow(world.ctx, { follower, followee: author });
      const text = `Bench tweet ${nth}: a sparrow sat on the wire and thought of bread.`;
      await postTweet(world.ctx, author, { text });
    }
    await world.delivered();
  });
  afterAll(() => world.close());

  for (const language of ["en", "ja"])
    it(`home has at most 1,100 bytes of HTML for each of 50 tweets: ${language}`, async () => {
      const reader = world.visitor(language);
      await reader.logIn("reader");
      const { text: page } = await reader.get("/").expect(200);
      const [, list = ""] = /<ol class="timeline[^>]*>(.*?)<\/ol>/s.exec(page) ?? [];
      expect(list.match(/<article /g)).toHaveLength(50);
      expect(Buffer.byteLength(list) / 50).toBeLessThanOrEqual(listedTweet);
    });
});

/** Pictures that an admin has uploaded do not count. Theirs are at most 1.5 and 3 kB. */
function isOwn(path: string): boolean {
  return !path.startsWith("/logo/");
}

/** About 110 characters with as much news in them as people's own words have. */
function textOf(nth: number): string {
  let state = nth + 1;
  const roll = (sides: number) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % sides;
  };
  const word = () =>
    Array.from({ length: 1 + roll(3) }, () => syllables[roll(syllables.length)]).join("");
  const words = Array.from({ length: 12 + roll(20) }, word);
  return `${words.join(" ")} #${word()} https://example.org/${word()}/${nth}`;
}

/** What a browser fetches to show the page, but for the pictures of people. */
function filesOn(page: string): string[] {
  const named = page.matchAll(/<(?:script|link|img)\b[^>]*\b(?:src|href)="([^"]*)"[^>]*>/g);
  const fetched = [...named]
    .filter(([tag]) => !/rel="(canonical|search|alternate|apple-touch-icon)"/.test(tag))
    .map(([, path = ""]) => path)
    // A browser takes one of both icons.
    .filter((path) => !path.startsWith("/avatars/") && path !== "/favicon.ico");
  return [...new Set(fetched)];
}
