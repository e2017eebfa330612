import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { notificationsOn } from "../support/inspect/notifications.ts";
import { alertsOn, hiddenFields } from "../support/inspect/page.ts";
import type { Visitor } from "../support/actors/visitor.ts";
import { createWorld, type World } from "../support/world/world.ts";
import { closeChecked } from "../support/world/doctor.ts";

/** What browsers send that are set up in Japanese. */
const japanese = "ja-JP,ja;q=0.9,en;q=0.5";
const minutes = 60_000;
const hours = 60 * minutes;

const page = async (visitor: Visitor, path: string) => (await visitor.get(path).expect(200)).text;

describe("Suzume in Japanese", () => {
  let world: World;
  /** They write in Japanese, too, so that no Latin letter on a page is theirs. */
  let haru: Visitor;
  let bob: Visitor;
  let tweet = "";
  beforeAll(async () => {
    world = await createWorld();
    haru = world.visitor(japanese);
    bob = await world.newcomer("bob");
    await bob.tweet("さくら");
  });
  afterAll(() => closeChecked(world));

  it("a browser that asks for Japanese is greeted in Japanese, others in English", async () => {
    const text = await page(haru, "/");
    expect(text).toContain('<html lang="ja">');
    expect(text).toContain("ちいさく、さえずろう。</h1>");
    expect(text).toContain('Suzume（<span lang="ja">雀</span>）は、自分のサーバーで動く');
    expect(navigationOn(text)).toEqual([
      "ホーム",
      "見つける",
      "検索",
      "ログイン",
      "アカウント作成",
    ]);
    const other = await page(world.visitor("fr, en;q=0.8, ja;q=0.1"), "/");
    expect(other).toContain('<html lang="en">');
    expect(other).toContain("Say it small.</h1>");
    expect(other).toContain(
      'Suzume (<span lang="ja">雀</span>, sparrow) is a small, fast Twitter on a server of its own. ',
    );
    expect(navigationOn(other)).toEqual(["Home", "Explore", "Search", "Log in", "Sign up"]);
  });

  it("a Japanese visitor gets messages about a refused sign-up, and signs up", async () => {
    const fields = { name: "はる", fullname: " ", password: "short" };
    const refused = await haru.post("/signup", fields).expect(422);
    expect(alertsOn(refused.text)).toEqual([
      "ユーザー名に使えるのは、半角英字（a–z）、数字、アンダースコアの1〜15文字です。",
      "名前を入力してください。ニックネームでもかまいません。",
      "パスワードは8文字以上にしてください。",
    ]);
    await haru.signUp("haru");
    const home = await page(haru, "/");
    expect(home).toContain("まだ静かです");
    expect(navigationOn(home)).toEqual([
      "ホーム",
      "見つける",
      "検索",
      "通知",
      "メッセージ",
      "プロフィール",
    ]);
  });

  it("a Japanese user tweets, and reads the age of the tweet, and later its date", async () => {
    const refused = await haru.post("/tweets", { text: "雀".repeat(281) }).expect(422);
    expect(alertsOn(refused.text)).toEqual(["ツイートは280文字までです。"]);
    expect(refused.text).toContain('placeholder="いま、なにしてる？"');
    await haru.tweet("すずめが来た");
    await world.delivered();
    [tweet = ""] = (await haru.see("/@haru")).map(({ id }) => id);
    const age = async (visitor: Visitor) => timeOn(await page(visitor, "/@haru")).text;
    expect(await age(haru)).toBe("今");
    world.pass(5 * minutes);
    expect(await age(haru)).toBe("5分");
    expect(await age(bob)).toBe("5m");
    world.pass(3 * hours);
    expect(await age(haru)).toBe("3時間");
    world.pass(3 * 24 * hours);
    const { text, day } = timeOn(await page(haru, "/@haru"));
    const [year, month, date] = day.split("-").map(Number);
    // With the year if it has changed since.
    expect([`${month}月${date}日`, `${year}年${month}月${date}日`]).toContain(text);
    expect(await page(haru, `/tweets/${tweet}`)).toContain(`>${year}年${month}月${date}日 `);
    expect(await age(bob)).toMatch(/^[A-Z][a-z]{2} \d+(, \d{4})?$/);
  });

  it("a Japanese user reads notifications in Japanese word order: one user, two and many", async () => {
    const liked = "あなたのツイートにいいねしました";
    const all = [
      { by: bob, who: "Test bobさん" },
      { by: await world.newcomer("cat"), who: "Test catさんとTest bobさん" },
      { by: await world.newcomer("dan"), who: "Test danさんとほか2人" },
    ];
    for (const { by, who } of all) {
      await by.post(`/tweets/${tweet}/like`).expect(303);
      await by.follow("haru");
      expect(sentencesOn(await page(haru, "/notifications"))).toEqual([
        `新着： ${who}にフォローされました`,
        `新着： ${who}が${liked}`,
      ]);
    }
    await bob.post(`/tweets/${tweet}/retweet`).expect(303);
    await reply(bob, tweet, "どこに？");
    await bob.tweet("@haru みて");
    await world.delivered();
    const unread = await page(haru, "/explore");
    expect(unread).toContain('aria-label="通知、新着3件"');
    const told = await page(haru, "/notifications");
    expect(sentencesOn(told).slice(0, 3)).toEqual([
      "新着： Test bobさんがあなたをメンションしました",
      "新着： Test bobさんがあなたのツイートに返信しました",
      "新着： Test bobさんがあなたのツイートをリツイートしました",
    ]);
    expect(told).toContain(
      `<bdi>Test bob</bdi></a>さんが<a href="/tweets/${tweet}">あなたのツイート</a>をリツイート`,
    );
    expect(told).toContain(`さんと<a href="/tweets/${tweet}/likes">ほか2人</a>が<a href=`);
  });

  it("a Japanese user replies, and the other user is notified in English", async () => {
    const [answered] = (await haru.see(`/tweets/${tweet}`)).slice(1);
    await reply(haru, answered?.id ?? "", "屋根の上");
    await haru.post(`/tweets/${answered?.id}/like`).expect(303);
    await world.delivered();
    expect(sentencesOn(await page(bob, "/notifications")).slice(0, 2)).toEqual([
      "New: Test haru liked your tweet",
      "New: Test haru replied to your tweet",
    ]);
    const thread = textOf(await page(haru, `/tweets/${answered?.id}`));
    expect(thread).toContain("返信先：@haruさん");
    expect(thread).toContain("1 件のいいね");
    expect(textOf(await page(bob, `/tweets/${answered?.id}`))).toContain("Replying to @haru");
    expect(textOf(await page(haru, "/@bob"))).toContain("Test bobさんがリツイート");
    expect(textOf(await page(bob, "/@bob"))).toContain("Test bob retweeted");
  });

  it("a Japanese user's pages have no English words, whatever language was shown before", async () => {
    const paths = ["/explore", "/@bob", "/@haru", `/tweets/${tweet}`, `/tweets/${tweet}/likes`];
    const others = ["/", "/@bob/followers", "/search", "/search?q=さくら", "/search?q=b&people=1"];
    const stranger = world.visitor();
    const strangerFromJapan = world.visitor(japanese);
    for (const path of [...paths, ...others, "/tags/sakura"])
      // Twice, as a process remembers what it has said.
      for (let time = 0; time < 2; time += 1) {
        expect([path, latinOn(await page(strangerFromJapan, path))]).toEqual([path, []]);
        expect([path, latinOn(await page(haru, path))]).toEqual([path, []]);
        for (const visitor of [bob, stranger])
          expect([path, /[ぁ-ん]/.test(wordsOn(await page(visitor, path)))]).toEqual([path, false]);
      }
  });

  it("the side column has the language of each of a user's browsers", async () => {
    await world.newcomer("eve");
    const elsewhere = world.visitor("en");
    await elsewhere.logIn("haru");
    for (let time = 0; time < 2; time += 1) {
      expect(await page(haru, "/search")).toMatch(/おすすめユーザー<\/h2>|新しいユーザー<\/h2>/);
      expect(await page(elsewhere, "/search")).toMatch(/Who to follow<\/h2>|New people<\/h2>/);
    }
  });

  it("a Japanese visitor is asked in Japanese to log in before a reply", async () => {
    const login = `<a href="/login?next=%2Ftweets%2F${tweet}">`;
    const own = await page(world.visitor(japanese), `/tweets/${tweet}`);
    expect(own).toContain(`返信するには${login}ログイン</a>してください。</p>`);
    const other = await page(world.visitor(), `/tweets/${tweet}`);
    expect(other).toContain(`${login}Log in</a> to reply.</p>`);
  });

  async function reply(visitor: Visitor, to: string, text: string): Promise<void> {
    const form = hiddenFields(await page(visitor, `/tweets/${to}`), "/tweets");
    await visitor.post("/tweets", { ...form, text }).expect(303);
    await world.delivered();
  }
});

const textOf = (html: string) => html.replaceAll(/<[^>]*>/g, "");

const sentencesOn = (html: string) => notificationsOn(html).map(({ sentence }) => sentence);

/** The labels of the bar. */
function navigationOn(html: string): string[] {
  const labels = html.matchAll(/<span class="main-nav-label">(.*?)<\/span>/g);
  return [...labels].map(([, label = ""]) => label);
}

/** When the first tweet of a page was written: as it is shown, and the day for machines. */
function timeOn(html: string): { text: string; day: string } {
  const [, day = "", text = ""] =
    /<a class="tweet-time"[^>]*><time datetime="([\d-]+)T[^>]*>(.*?)<\/time>/.exec(html) ?? [];
  return { text, day };
}

/** All that a page says, seen or heard, but for what people wrote, code and the words of the script. */
function wordsOn(html: string): string {
  const own = html
    .replace(/<div id="words".*?<\/div>/s, "")
    .replaceAll(/<form class="language-choice".*?<\/form>/gs, "")
    .replaceAll(/<(p|textarea|input)[^>]* dir="auto".*?(<\/\1>|\/>)/gs, "")
    .replaceAll(/<title>.*?<\/title>|<code>.*?<\/code>|<span lang="ja">.*?<\/span>/gs, "");
  const spoken = own.matchAll(/ (?:aria-label|title|placeholder|alt)="([^"]*)"/g);
  return [own.replaceAll(/<[^>]*>/g, " "), ...[...spoken].map(([, words = ""]) => words)].join(
    "\n",
  );
}

/** Names of people, things and formats, which are the same in every language. */
const names = /[@#]\w+|Test \w+|MB|from:|Suzume|Twitter|UTC|RSS|Atom|oEmbed|XML|JSON( Feed)?/g;

/** The words of a page in Latin letters. */
function latinOn(html: string): string[] {
  return [
    ...new Set(
      wordsOn(html)
        .replaceAll(names, "")
        .match(/[A-Za-z]{2,}/g),
    ),
  ];
}
