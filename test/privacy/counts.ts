import { peopleOn } from "../support/inspect/page.ts";
import type { Marked } from "./marked-posts.ts";
import type { MarkedSite } from "./marked-site.ts";
import type { Reader } from "./readers.ts";
import { isOpen, mayRead } from "./rule.ts";

interface Told {
  id?: unknown;
  replies_count?: unknown;
  reblogs_count?: unknown;
  statuses_count?: unknown;
  in_reply_to_id?: unknown;
  in_reply_to_account_id?: unknown;
  /** Of a notification. */
  type?: unknown;
  account?: { id?: unknown };
  status?: { id?: unknown };
}

/** Numbers and names in answers that tell more than their reader may know. */
export class Counts {
  readonly #site: MarkedSite;

  constructor(site: MarkedSite) {
    this.#site = site;
  }

  wrongIn(json: string, reader: Reader): string[] {
    const wrong: string[] = [];
    // A reviver sees every object of the answer.
    JSON.parse(json, (_, value: unknown) => {
      if (typeof value === "object" && value !== null) wrong.push(...this.#wrongOf(value, reader));
      return value;
    });
    return wrong;
  }

  #wrongOf(told: Told, reader: Reader): string[] {
    const { posts } = this.#site;
    const { id, replies_count: replies, reblogs_count: reblogs, statuses_count: statuses } = told;
    const wrong: string[] = [];
    const post = posts.find(({ status }) => status === id);
    const original = post?.repeats ?? post;
    const open = posts.filter(isOpen);
    const answers = open.filter((one) => one.answers === original).length;
    if (typeof replies === "number" && replies > answers)
      wrong.push(`a count of ${replies} replies, not ${answers}`);
    const repeats = open.filter((one) => one.repeats === original).length;
    if (typeof reblogs === "number" && reblogs > repeats)
      wrong.push(`a count of ${reblogs} retweets, not ${repeats}`);
    if (typeof statuses === "number") {
      const listed = posts.filter(
        ({ author, gone, audience }) => author.id === id && !gone && audience !== "mentioned",
      );
      if (statuses > listed.length)
        wrong.push(`a count of ${statuses} tweets, not ${listed.length}`);
    }
    if (told.in_reply_to_id === null && (told.in_reply_to_account_id ?? null) !== null)
      wrong.push("the author of a hidden tweet");
    if (told.type === "reblog") {
      const retweeted = posts.find(({ status }) => status === told.status?.id);
      const actor = this.#site.members.find((member) => member.id === told.account?.id);
      if (actor && retweeted) wrong.push(...this.#strangers([actor.name], retweeted, reader));
    }
    return wrong;
  }

  /** Users whom a list of those who retweet `post` names. */
  retweetersIn(text: string, path: string, post: Marked, reader: Reader): string[] {
    if (/^\/tweets\/\d+\/retweets(\?|$)/.test(path))
      return this.#strangers(peopleOn(text), post, reader);
    if (!path.includes("/reblogged_by")) return [];
    const told = JSON.parse(text) as { username?: string }[];
    const names = Array.isArray(told) ? told.flatMap(({ username }) => username ?? []) : [];
    return this.#strangers(names, post, reader);
  }

  /** Those whose retweet of the post is hidden from the reader. */
  #strangers(names: readonly string[], post: Marked, { who }: Reader): string[] {
    const original = post.repeats ?? post;
    const retweets = this.#site.posts.filter(
      (one) => one.repeats === original && mayRead(who, one),
    );
    const known = new Set(retweets.map(({ author }) => author.name));
    return names
      .filter((name) => !known.has(name))
      .map((name) => `the name of ${name}, who retweets ${post.id}`);
  }
}
