/** A tweet that a user of the load sent, once or again with the same nonce. */
export interface Sent {
  author: string;
  /** Unlike that of any other. */
  text: string;
  replyTo: { id: string; author: string } | undefined;
  /** When it was sent, for the last time before it was acknowledged, in milliseconds since 1970. */
  sentAt: number;
  /** When it was acknowledged, in milliseconds since 1970; undefined: it was not. */
  acknowledgedAt: number | undefined;
  failedTries: FailedTry[];
  /** In the order in which they were sent; without those that were refused. */
  edits: Edit[];
  /** When the site acknowledged that it is deleted; "asked": it was asked to and said nothing. */
  deletedAt: number | "asked" | undefined;
  /** Id of the one that was deleted. */
  deleted: string | undefined;
}

/** When a try that was not acknowledged was sent, and when its answer came or was given up. */
export interface FailedTry {
  sentAt: number;
  endedAt: number;
}

/** What the author made of a tweet. */
export interface Edit {
  text: string;
  acknowledgedAt: number | undefined;
}

/** Between the text with which a tweet was posted and what an edit adds. */
const edited = " now ";

/** The text with which a tweet was posted, that of any of its versions given. */
export function postedAs(text: string): string {
  return text.split(edited)[0] ?? "";
}

/** A like, a retweet, a follow of a user or hashtag, or a muted word, as the last form about it left it. */
export interface Fact {
  kind: "like" | "retweet" | "follow" | "tag" | "word";
  actor: string;
  /** Id of a tweet, name of a user, hashtag or word. */
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
    const tweet: Sent = {
      author,
      text,
      replyTo,
      sentAt: Date.now(),
      acknowledgedAt: undefined,
      failedTries: [],
      edits: [],
      deletedAt: undefined,
      deleted: undefined,
    };
    this.tweets.set(text, tweet);
    return tweet;
  }

  posted(tweet: Sent): void {
    this.acknowledged += 1;
    tweet.acknowledgedAt ??= Date.now();
  }

  /** An edit that is about to be sent, with a hashtag that no other version has. */
  edit(tweet: Sent): Edit {
    const text = `${tweet.text}${edited}#v${(this.#texts += 1)}x`;
    const edit: Edit = { text, acknowledgedAt: undefined };
    tweet.edits.push(edit);
    return edit;
  }

  editAnswered(tweet: Sent, edit: Edit, answer: "acknowledged" | "refused" | "none"): void {
    if (answer === "refused") tweet.edits = tweet.edits.filter((one) => one !== edit);
    if (answer !== "acknowledged") return;
    this.acknowledged += 1;
    edit.acknowledgedAt = Date.now();
  }

  deleted(tweet: Sent, id: string, acknowledged: boolean): void {
    tweet.deleted = id;
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
