/** The rule of who may read a tweet, written from the words of docs and not from the code: it imports nothing of src. */

export const audiences = ["public", "unlisted", "followers", "mentioned"] as const;
export type Audience = (typeof audiences)[number];

export interface Person {
  name: string;
  protects: boolean;
  suspended: boolean;
  /** Handles reports, and sees what was reported there. */
  moderates: boolean;
  follows: Set<Person>;
  /** Protected accounts that have not answered the request of this person. */
  asks: Set<Person>;
  blocks: Set<Person>;
}

export interface Post {
  author: Person;
  audience: Audience;
  /** Those whom it mentioned or answered when it was posted. */
  people: ReadonlySet<Person>;
  gone: boolean;
  /** The post of which it is a retweet. */
  repeats?: Post | undefined;
}

export function newPerson(name: string): Person {
  const [follows, asks, blocks] = [new Set<Person>(), new Set<Person>(), new Set<Person>()];
  const plain = { protects: false, suspended: false, moderates: false };
  return { name, ...plain, follows, asks, blocks };
}

/** The smaller of two audiences. */
export function narrower(one: Audience, other: Audience): Audience {
  return audiences[Math.max(audiences.indexOf(one), audiences.indexOf(other))] ?? "mentioned";
}

/** The audience of a post at this moment, protection of its author included. */
export function audienceNow({ author, audience }: Post): Audience {
  return author.protects ? narrower(audience, "followers") : audience;
}

/** Whether everyone may read it. */
export function isOpen(post: Post): boolean {
  return ["public", "unlisted"].includes(audienceNow(post)) && !post.gone;
}

/** Whether one of the two has blocked the other. */
export function areApart(one: Person | undefined, other: Person): boolean {
  return one !== undefined && (one.blocks.has(other) || other.blocks.has(one));
}

/** Whether a reader (undefined: signed out) may read a post now. */
export function mayRead(reader: Person | undefined, post: Post): boolean {
  const { author, people, gone, repeats } = post;
  if (gone || (repeats !== undefined && !mayRead(reader, repeats))) return false;
  if (reader === author) return true;
  if (author.suspended || areApart(reader, author)) return false;
  if (isOpen(post)) return true;
  if (reader === undefined) return false;
  return people.has(reader) || (audienceNow(post) === "followers" && reader.follows.has(author));
}

/** Makes the first follow the second, or ask to. */
export function follow(one: Person, other: Person): void {
  if (one === other || areApart(one, other) || one.follows.has(other)) return;
  (other.protects ? one.asks : one.follows).add(other);
}

/** Ends a follow and a request, by either side. */
export function unfollow(one: Person, other: Person): void {
  one.follows.delete(other);
  one.asks.delete(other);
}

/** Blocks, which ends what was between the two. */
export function block(one: Person, other: Person): void {
  one.blocks.add(other);
  unfollow(one, other);
  unfollow(other, one);
}

/** Accepts a request, if it is there. */
export function accept(one: Person, asking: Person): void {
  if (asking.asks.delete(one)) asking.follows.add(one);
}

/** Protects an account, or opens it: then all who asked follow it. */
export function protect(one: Person, protects: boolean, all: Iterable<Person>): void {
  one.protects = protects;
  if (!protects) for (const other of all) accept(one, other);
}
