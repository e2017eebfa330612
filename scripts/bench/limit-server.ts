import { buffer } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import express from "express";
import { compileFile } from "pug";
import { tweetId, userId } from "../../src/domain/ids.ts";
import { stampAt } from "../../src/domain/stamp.ts";
import { openAssets } from "../../src/web/assets.ts";
import { showForm } from "../../src/web/forms/form.ts";
import { freshNonce, tweetForm } from "../../src/web/forms/tweets.ts";
import { readLanguages } from "../../src/web/languages/languages.ts";
import { scriptWords } from "../../src/web/languages/script.ts";
import { compressPages } from "../../src/web/middleware/compress.ts";
import { presentName } from "../../src/web/present/people.ts";
import { viewTweet } from "../../src/web/present/tweets.ts";
import { renderTimeline } from "../../src/web/render.ts";

/**
 * What the same Express can do at best: the bytes that came on standard input, from memory; and a
 * home page of 50, rendered anew for each request from tweets and people in memory.
 */
const views = fileURLToPath(new URL("../../views", import.meta.url));
const { PORT, BENCH_ENCODING: encoding = "", BENCH_TYPE: type = "" } = process.env;
const page = await buffer(process.stdin);
const app = express();
app.disable("x-powered-by");
app.set("etag", false);
app.set("views", views);
app.set("view engine", "pug");
app.enable("view cache");
const built = fileURLToPath(new URL("../../dist", import.meta.url));
app.locals["assets"] = openAssets(built, false)().addresses;

app.get("/fixed", (_req, res) => {
  res.setHeader("Cache-Control", "no-store");
  res.setHeader("Content-Type", type);
  if (encoding !== "") res.setHeader("Content-Encoding", encoding);
  res.send(page);
});

const people = Array.from({ length: 51 }, (_, nth) => {
  const id = userId(nth + 1);
  const name = `author_${nth}`;
  return {
    id,
    name,
    fullname: `Bench Person ${nth}`,
    bio: "",
    website: "",
    avatar: "",
    header: "",
    language: "",
    theme: "" as const,
    generation: "",
    role: "" as const,
    notificationsRead: 0,
    homeRead: 0,
    notificationsCleared: 0,
    suspended: false,
    waiting: false,
    pinned: undefined,
    createdAt: stampAt(Date.now(), id),
  };
});
const viewer = people[50];
const words = readLanguages().words("en");
const t = words.t.bind(words);
const tweets = people.slice(0, 50).map((author, nth) => {
  const id = tweetId(nth + 1);
  const said = `Bench tweet ${nth}: a sparrow sat on the wire and thought of bread.`;
  return { id, author: author.id, text: said, createdAt: stampAt(Date.now(), id) };
});
const seen = {
  people: new Map(people.map((person) => [person.id, person])),
  viewer,
  words,
  counts: { replies: 0, retweets: 0, likes: 0 },
  reaction: { liked: false, retweeted: false, bookmarked: false },
};
const item = compileFile(`${views}/tweets/item.pug`);

app.get("/rendered", compressPages(), (_req, res) => {
  res.setHeader("Cache-Control", "no-store");
  const now = Date.now();
  const timeline = tweets.map((tweet) => {
    const listed = { tweet, retweet: undefined, quote: undefined, stamp: tweet.createdAt };
    return Buffer.from(
      item({ t, tweet: viewTweet(listed, { ...seen, now, isFirst: false, editableUntil: 0 }) }),
    );
  });
  renderTimeline(res, "home/index", {
    words,
    t,
    scriptWords: scriptWords(words),
    title: "Home",
    viewer: viewer && presentName(viewer),
    here: "/",
    nav: [{ href: "/", label: "Home", icon: "home", current: true }],
    composer: showForm(words, tweetForm, freshNonce()),
    timeline,
  });
});

app.listen(Number(PORT), "127.0.0.1");
