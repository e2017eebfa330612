import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { mutedWordId } from "../../../src/domain/graph/muted-words.ts";
import type { Answer } from "./answers.ts";
import type { Browser, Fields } from "./browser.ts";
import { type Person, password } from "./inside.ts";
import type { Fact, Ledger, Sent } from "./ledger.ts";
import { type Shown, tweetsOn } from "./pages.ts";

const triesOfAForm = 6;

/** One user of a load, who does one thing after another and remembers what the site said. */
export class User {
  readonly person: Person;
  readonly browser: Browser;
  readonly #ledger: Ledger;
  /** Names of all users of the load. */
  readonly #others: string[];
  readonly #ended: AbortSignal;
  #seen: Shown[] = [];

  constructor(
    person: Person,
    browser: Browser,
    ledger: Ledger,
    others: string[],
    ended: AbortSignal,
  ) {
    this.person = person;
    this.browser = browser;
    this.#ledger = ledger;
    this.#others = others.filter((name) => name !== person.name);
    this.#ended = ended;
  }

  /** Whatever comes to their mind. */
  async act(): Promise<void> {
    if (this.browser.viewer === undefined) return await this.logIn();
    const whim = Math.random();
    if (whim < 0.3) return void (await this.post());
    if (whim < 0.38) return await this.#about((tweet) => this.reply(tweet));
    if (whim < 0.52) return await this.#about((tweet) => this.#switch("like", tweet.tweet));
    if (whim < 0.6)
      return await this.#aboutAnothers((tweet) => this.#switch("retweet", tweet.tweet));
    if (whim < 0.66) return await this.#follow();
    if (whim < 0.71) return await this.#deleteOne();
    if (whim < 0.73) return void (await this.browser.logOut());
    if (whim < 0.81) return await this.#editOne();
    if (whim < 0.85) return await this.#choose();
    if (whim < 0.88) return void (await this.browser.get("/notifications"));
    if (whim < 0.91) return void (await this.browser.get(`/@${pick(this.#others)}`));
    return await this.readHome();
  }

  async logIn(): Promise<void> {
    await this.browser.logIn(this.person.name, password);
  }

  async readHome(): Promise<void> {
    const { status, body } = await this.browser.get("/");
    if (status === 200) this.#seen = tweetsOn(body);
  }

  /** A refused form is sent "once", or, of every second one, again and again with its nonce. */
  async post(how: "once" | "maybe again" = "maybe again"): Promise<Sent> {
    const text = this.#ledger.freshText(this.person.name);
    const sent = this.#ledger.sent(this.person.name, text);
    await this.#submit(sent, { text, nonce: randomUUID() }, how === "once" ? 1 : triesOfAForm);
    return sent;
  }

  async reply({ tweet, author }: Pick<Shown, "tweet" | "author">): Promise<void> {
    const text = this.#ledger.freshText(this.person.name);
    const sent = this.#ledger.sent(this.person.name, text, { id: tweet, author });
    await this.#submit(sent, { text, reply_to: tweet, nonce: randomUUID() }, triesOfAForm);
  }

  async #submit(sent: Sent, fields: Fields, triesAtMost: number): Promise<void> {
    const tries = Math.random() < 0.5 ? triesAtMost : 1;
    for (let nth = 0; nth < tries; nth += 1) {
      if (nth > 0) await sleep(300 + Math.random() * 700, undefined, { signal: this.#ended });
      sent.sentAt = Date.now();
      const { status, location } = await this.browser.post("/tweets", fields);
      if (status === 303 && !location.startsWith("/login")) {
        this.#ledger.posted(sent);
        return;
      }
      if (typeof status === "number" && status < 500) return;
      sent.failedTries.push({ sentAt: sent.sentAt, endedAt: Date.now() });
    }
  }

  async #switch(kind: "like" | "retweet", object: string): Promise<void> {
    const known = this.#ledger.facts.get(`${kind} ${this.person.name} ${object}`);
    const is = !(known?.is ?? false);
    const answer = await this.browser.post(`/tweets/${object}/${is ? "" : "un"}${kind}`);
    this.#noteFact({ kind, object, is }, answer);
  }

  /** Never the users that the drill made them follow: their tweets must all be at home. */
  async #follow(): Promise<void> {
    const name = pick(this.#others);
    if (this.person.follows.includes(name)) return;
    const known = this.#ledger.facts.get(`follow ${this.person.name} ${name}`);
    const is = !(known?.is ?? false);
    const answer = await this.browser.post(`/@${name}/${is ? "" : "un"}follow`);
    this.#noteFact({ kind: "follow", object: name, is }, answer);
  }

  /** What is refused with 404 is about a tweet that is gone meanwhile. */
  #noteFact(fact: Pick<Fact, "kind" | "object" | "is">, { status, location }: Answer): void {
    if (status === 404 || status === 422) return;
    const acknowledged = status === 303 && !location.startsWith("/login");
    this.#ledger.fact({ ...fact, actor: this.person.name }, acknowledged);
  }

  /** Follows a hashtag or mutes a word, that no tweet has; or asks for notifications of those whom they follow. */
  async #choose(): Promise<void> {
    const what = pick(["tag", "word", "notify"] as const);
    if (what === "notify") {
      const name = pick(this.person.follows.length > 0 ? this.person.follows : this.#others);
      return void (await this.browser.post(`/@${name}/${pick(["notify", "unnotify"])}`));
    }
    const object = pick(["wren", "robin", "finch"]);
    const is = !(this.#ledger.facts.get(`${what} ${this.person.name} ${object}`)?.is ?? false);
    const answer =
      what === "tag"
        ? await this.browser.post(`/tags/${object}/${is ? "" : "un"}follow`)
        : await this.browser.post(`/settings/muted${is ? "" : "/remove"}`, {
            word: object,
            duration: "ever",
            action: pick(["hide", "warn"]),
            filter: mutedWordId(object),
          });
    this.#noteFact({ kind: what, object, is }, answer);
  }

  /** A tweet of theirs that they have seen. */
  #ownTweet(): { tweet: string; sent: Sent } | undefined {
    const { name } = this.person;
    const mine = this.#seen.flatMap(({ tweet, text, author, isRetweet }) => {
      const sent = this.#ledger.tweets.get(text);
      return sent === undefined || author !== name || isRetweet ? [] : [{ tweet, sent }];
    });
    return mine.length === 0 ? undefined : pick(mine);
  }

  /** With a content warning or without. */
  async #editOne(): Promise<void> {
    const own = this.#ownTweet();
    if (own === undefined) return;
    const edit = this.#ledger.edit(own.sent);
    const fields = { text: edit.text, warning: pick(["", "Drill"]) };
    const { status, location } = await this.browser.post(`/tweets/${own.tweet}/edit`, fields);
    const isRefused = typeof status === "number" && status >= 400 && status < 500;
    const isDone = status === 303 && !location.startsWith("/login");
    const isKnown = isRefused || status === 303;
    const answer = isDone ? "acknowledged" : isKnown ? "refused" : "none";
    this.#ledger.editAnswered(own.sent, edit, answer);
  }

  async #deleteOne(): Promise<void> {
    const own = this.#ownTweet();
    if (own === undefined) return;
    const { tweet, sent } = own;
    const { status, location } = await this.browser.post(`/tweets/${tweet}/delete`);
    this.#ledger.deleted(sent, tweet, status === 303 && !location.startsWith("/login"));
    this.#seen = this.#seen.filter((one) => one.tweet !== tweet);
  }

  async #about(act: (tweet: Shown) => Promise<void>): Promise<void> {
    if (this.#seen.length === 0) await this.readHome();
    if (this.#seen.length > 0) await act(pick(this.#seen));
  }

  async #aboutAnothers(act: (tweet: Shown) => Promise<void>): Promise<void> {
    const theirs = this.#seen.filter(({ author }) => author !== this.person.name);
    if (theirs.length > 0) await act(pick(theirs));
  }
}

export function pick<Item>(items: readonly Item[]): Item {
  const item = items[Math.floor(Math.random() * items.length)];
  if (item === undefined) throw new Error("nothing to pick from");
  return item;
}
