import { tweetId } from "../../src/domain/ids.ts";
import { stampAt } from "../../src/domain/stamp.ts";
import { createTweet } from "../../src/domain/tweets/store.ts";
import { findTweets, parseQuery } from "../../src/domain/search/find-tweets.ts";
import { sealStep } from "../../src/domain/search/seal-tweets.ts";
import { readSegments } from "../../src/domain/search/segments.ts";
import { keys } from "../../src/redis/keys.ts";
import { each, openLab, makePeople } from "./lab.ts";
import { timeEach, quantile } from "./load.ts";
import { languages, sayings, type Language } from "./sayings.ts";
import { usedBytes } from "./memory.ts";

const [language = "english", count = "80000"] = process.argv.slice(2) as [Language, string];
const total = Number(count);
const lab = await openLab(1, console.log);
const { ctx } = lab;
const [author] = await makePeople(lab, "author", 1);
const texts = sayings(language, total);
await each(lab, "tweets", total, async (nth) => {
  const id = tweetId(nth + 1);
  await createTweet(ctx, { id, author: author as never, text: texts[nth] as string, createdAt: stampAt(Date.now() - (total - nth) * 10_000, id) });
});
const before = await usedBytes(ctx.redis);
await ctx.redis.set(keys.tweetIds, total);
let t0 = performance.now();
let most = 0;
for (let more = true; more; ) { const b = performance.now(); more = await sealStep(ctx); most = Math.max(most, performance.now() - b); }
console.log("sealed in s", (performance.now() - t0) / 1000, "longest step ms", most);
await sealStep({ ...ctx, now: () => Date.now() + 7_200_000 });
console.log("bytes a tweet", ((await usedBytes(ctx.redis)) - before) / total, "rss MB", process.memoryUsage().rss / 1e6);
const { segments } = await readSegments(ctx);
for (const s of segments.slice(0, 1).concat(segments.slice(-1))) {
  let terms = 0, coded: Record<string, number> = {};
  for (let n = 0; n < s.buckets; n++) { const k = keys.sealedTerms(s.token, n); terms += Number(await ctx.redis.memory("USAGE", k, "SAMPLES", 0)); const e = await ctx.redis.object("ENCODING", k) as string; coded[e] = (coded[e] ?? 0) + 1; }
  const long = await ctx.redis.memory("USAGE", keys.sealedLong(s.token), "SAMPLES", 0);
  const order = await ctx.redis.memory("USAGE", keys.sealedOrder(s.token), "SAMPLES", 0);
  const n = s.end - s.first;
  console.log(s.first, n, "buckets", s.buckets, coded, "terms", terms / n, "long", (long ?? 0) / n, await ctx.redis.hlen(keys.sealedLong(s.token)), "order", (order ?? 0) / n);
}
console.log("segments", segments.length);
const q = async (name: string, f: (n: number) => string) => {
  let found = 0;
  const took = await timeEach(40, async (n) => { found += (await findTweets(ctx, parseQuery(f(n)), { viewer: undefined })).items.length; });
  console.log(name.padEnd(20), [0, 0.5, 0.99].map((x) => quantile(took, x).toFixed(2)).join(" "), found / 40);
};
const both = (nth: number, d: number, w: (at: number) => string) => `${w(nth)} ${w(nth + d)}`;
for (let i = 0; i < 2; i++) {
if (language === "english") {
  const w = languages.english.word;
  await q("rare", (n) => w(15000 + n));
  await q("common", (n) => w(n));
  await q("two common", (n) => both(n, 1, w));
  await q("common+rare", (n) => both(n, 9000, w));
  await q("phrase", (n) => `"${both(n, 1, w)}"`);
  await q("worst", () => "oddly evenly");
  await q("nobody", (n) => `unheard${n}`);
} else {
  const w = languages.japanese.word;
  await q("pair", (n) => w(200 + n).slice(0, 2));
  await q("kanji", (n) => w(200 + n).slice(0, 1));
  await q("no", () => "の");
  await q("two words", (n) => both(n, 7, w));
}
}
await lab.close();
