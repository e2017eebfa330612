import type { MarkedSite } from "./marked-site.ts";

interface Told {
  id?: unknown;
  replies_count?: unknown;
  statuses_count?: unknown;
  in_reply_to_id?: unknown;
  in_reply_to_account_id?: unknown;
}

/** Numbers in answers of the API that tell more than their reader may know. */
export class Counts {
  readonly #site: MarkedSite;

  constructor(site: MarkedSite) {
    this.#site = site;
  }

  wrongIn(json: string): string[] {
    const wrong: string[] = [];
    // A reviver sees every object of the answer.
    JSON.parse(json, (_, value: unknown) => {
      if (typeof value === "object" && value !== null) wrong.push(...this.#wrongOf(value));
      return value;
    });
    return wrong;
  }

  #wrongOf(told: Told): string[] {
    const { posts } = this.#site;
    const { id, replies_count: replies, statuses_count: statuses } = told;
    const wrong: string[] = [];
    if (typeof replies === "number") {
      const post = posts.find(({ status }) => status === id);
      const original = post?.repeats ?? post;
      const open = posts.filter(
        ({ answers, gone, wasOpen }) => answers === original && !gone && wasOpen,
      );
      if (replies > open.length) wrong.push(`a count of ${replies} replies, not ${open.length}`);
    }
    if (typeof statuses === "number") {
      const listed = posts.filter(
        ({ author, gone, audience }) => author.id === id && !gone && audience !== "mentioned",
      );
      if (statuses > listed.length)
        wrong.push(`a count of ${statuses} tweets, not ${listed.length}`);
    }
    if (told.in_reply_to_id === null && (told.in_reply_to_account_id ?? null) !== null)
      wrong.push("the author of a hidden tweet");
    return wrong;
  }
}
