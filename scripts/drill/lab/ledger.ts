/** A tweet that a user of the load sent, once or again with the same nonce. */
export interface Sent {
  author: string;
  /** Unlike that of any other. */
  text: string;
  replyTo: { id: string; author: string } | undefined;
  /** When it was acknowledged, in milliseconds since 1970; undefined: it was not. */
  acknowledgedAt: number | undefined;
  /** When the site acknowledged that it is deleted; "asked": it was asked to and said nothing. */
  deletedAt: number | "asked" | undefined;
}

/** A like, a retweet or a follow, as the last form about it left it. */
export interface Fact {
  kind: "like" | "retweet" | "follow";
  actor: string;
  /** Id of a tweet, name of a user. */
  object: string;
  is: boolean;
  /** False after a form that got no answer or a refusal: it may be so or not. */
  certain: boolean;
  at: number;
}

/** All that a load sent, and what the site said to it. */
export class Ledger {
  readonly tweets = new Map<string, Sent>();
  readonly facts = new Map<string, Fact>();
  /** Name → when the site acknowledged the sign-up, if it did. */
  readonly signUps = new Map<string, number | undefined>();
  acknowledged = 0;
  #texts = 0;

  /** A text that was not sent before. */
  freshText(author: string): string {
    return `drill ${author} ${(this.#texts += 1)} sings`;
  }

  sent(author: string, text: string, replyTo?: Sent["replyTo"]): Sent {
    const known = this.tweets.get(text);
    if (known !== undefined) return known;
    const tweet: Sent = { author, text, replyTo, acknowledgedAt: undefined, deletedAt: undefined };
    this.tweets.set(text, tweet);
    return tweet;
  }

  posted(tweet: Sent): void {
    this.acknowledged += 1;
    tweet.acknowledgedAt ??= Date.now();
  }

  deleted(tweet: Sent, acknowledged: boolean): void {
    if (acknowledged) this.acknowledged += 1;
    if (typeof tweet.deletedAt !== "number") tweet.deletedAt = acknowledged ? Date.now() : "asked";
  }

  fact(fact: Pick<Fact, "kind" | "actor" | "object" | "is">, acknowledged: boolean): void {
    if (acknowledged) this.acknowledged += 1;
    const key = `${fact.kind} ${fact.actor} ${fact.object}`;
    this.facts.set(key, { ...fact, certain: acknowledged, at: Date.now() });
  }

  signedUp(name: string, acknowledged: boolean): void {
    if (acknowledged) this.acknowledged += 1;
    this.signUps.set(name, acknowledged ? Date.now() : this.signUps.get(name));
  }
}
