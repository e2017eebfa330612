import { randomUUID } from "node:crypto";
import { bookmarkTweet } from "../../src/domain/actions/bookmark.ts";
import { deleteTweet } from "../../src/domain/actions/delete-tweet.ts";
import { editTweet } from "../../src/domain/actions/edit-tweet.ts";
import { likeTweet } from "../../src/domain/actions/like.ts";
import { postTweet } from "../../src/domain/actions/post-tweet.ts";
import { retweet } from "../../src/domain/actions/retweet.ts";
import { saveDraft } from "../../src/domain/actions/save-draft.ts";
import { makeList } from "../../src/domain/graph/lists.ts";
import { type ListId, type TweetId, type UploadId, type UserId } from "../../src/domain/ids.ts";
import { addUpload } from "../../src/domain/pictures/uploads.ts";
import { prepareUpload } from "../../src/domain/pictures/prepare-upload.ts";
import { getTweet } from "../../src/domain/tweets/store.ts";
import { everyPicture } from "../../src/domain/tweets/tweet.ts";
import { getUserByName } from "../../src/domain/users/store.ts";
import { statusId } from "../../src/web/api/ids.ts";
import { tokenFor } from "../support/actors/app-listener.ts";
import { sessionCookie } from "../support/inspect/cookies.ts";
import type { World } from "../support/world/world.ts";
import type { Reader } from "./readers.ts";
import { isAccepted, unlessRefused } from "./refusals.ts";
import * as rule from "./rule.ts";

export const siteUrl = "http://site.test";
export const allScopes = "read write follow push profile";

/** A post with its marks: words, pictures and ids that stand in no other. */
export interface Marked extends rule.Post {
  author: Member;
  id: TweetId;
  /** What the API calls it. */
  status: string;
  /** Where lists have it: a link to the next part of one may name it. */
  stamp: string;
  /** Numbers of its words, one for each version. */
  marks: number[];
  /** Names of its picture files. */
  files: string[];
  answers?: Marked | undefined;
  /** Those who answered it. */
  answerers: Set<rule.Person>;
  /** Another post has a link to it in its text. */
  isLinked: boolean;
  /** Its card stands below another post. */
  isQuoted: boolean;
  isReported: boolean;
  /** Everyone might read it when it was posted. */
  wasOpen: boolean;
}

export interface Member extends rule.Person {
  id: UserId;
  reader: Reader;
  list: ListId;
}

export interface Wish {
  audience: rule.Audience;
  names?: readonly string[];
  answers?: Marked | undefined;
  quotes?: Marked | undefined;
  hasPicture?: boolean;
  hasWarning?: boolean;
}

/** The posts of a site and what the rule knows of them. Each verb changes both, or neither if the site refuses it. */
export class MarkedPosts {
  readonly world: World;
  readonly members: Member[] = [];
  readonly posts: Marked[] = [];
  readonly byMark = new Map<number, Marked>();
  /** With and without a time; `id` is that of the draft. */
  readonly drafts: Marked[] = [];
  /** A picture for all uploads; its files are named by upload. */
  readonly #bytes: Buffer;

  constructor(world: World, bytes: Buffer) {
    this.world = world;
    this.#bytes = bytes;
  }

  named(name: string): Member {
    const member = this.members.find((one) => one.name === name);
    if (member === undefined) throw new Error(`no member ${name}`);
    return member;
  }

  async join(name: string): Promise<Member> {
    const { world } = this;
    await world.newcomer(name);
    const { id } = await getUserByName(world.ctx, name);
    const list = await makeList(world.ctx, id, { title: `List of ${name}`, replies: "list" });
    const token = await tokenFor(world, name, allScopes);
    const cookie = await this.signIn(name);
    const person = rule.newPerson(name);
    const reader: Reader = { who: person, name, cookie, token };
    const member: Member = Object.assign(person, { id, reader, list: list.id });
    this.members.push(member);
    return member;
  }

  /** The cookie of a new session. */
  async signIn(name: string): Promise<string> {
    return sessionCookie(await this.world.visitor().logIn(name));
  }

  /** Posts, with all the marks there are. Undefined if the site refuses. */
  async post(author: Member, wish: Wish): Promise<Marked | undefined> {
    const { ctx } = this.world;
    const { audience, names = [], answers, quotes, hasPicture = false } = wish;
    const mark = this.byMark.size + 1;
    const link = quotes === undefined ? "" : ` ${siteUrl}/tweets/${quotes.id}`;
    const people = this.members.filter(({ name }) => names.includes(name));
    const pictures = hasPicture ? [await this.#upload(author, mark)] : [];
    const id = await unlessRefused(
      postTweet(ctx, author.id, {
        text: textOf(mark, names) + link,
        warning: wish.hasWarning === true ? `hush${mark}w` : undefined,
        audience,
        replyTo: answers?.id,
        quoteOf: quotes?.id,
        pictures,
        // Their words are marks as those of the text.
        poll: hasPicture ? undefined : { choices: [`hush${mark}v`, `hush${mark}u`], seconds: 3600 },
      }),
    );
    if (id === undefined) return undefined;
    if (answers !== undefined && !rule.mayRead(author, answers))
      throw new Error(`${author.name} answered a hidden tweet`);
    const former = answers?.audience === "mentioned" ? [...answers.people] : [];
    const meant = answers === undefined ? people : [...people, ...former, answers.author];
    const limit = answers === undefined ? "public" : rule.audienceNow(answers);
    answers?.answerers.add(author);
    if (quotes !== undefined) {
      quotes.isLinked = true;
      quotes.isQuoted ||= rule.isOpen(quotes);
    }
    return await this.#add(author, id, {
      audience: rule.narrower(audience, limit),
      people: new Set(meant),
      marks: [mark],
      answers,
    });
  }

  /** Keeps a draft, which nobody but its author may read. */
  async draft(author: Member, at?: number): Promise<void> {
    const { ctx } = this.world;
    const mark = this.byMark.size + 1;
    const { id } = await saveDraft(ctx, author.id, { text: textOf(mark, []), at });
    const post: Marked = { ...unmarked(author, id), audience: "mentioned", marks: [mark] };
    this.drafts.push(post);
    this.byMark.set(mark, post);
  }

  async #add(author: Member, id: TweetId, about: Partial<Marked>): Promise<Marked> {
    const tweet = await getTweet(this.world.ctx, id);
    const files = everyPicture(tweet).flatMap(({ tiny, small, large }) =>
      [tiny, small, large].flatMap((size) => size?.file ?? []),
    );
    const names = { status: statusId(tweet), stamp: String(tweet.createdAt), files };
    const post: Marked = { ...unmarked(author, id), ...names, ...about };
    post.wasOpen = rule.isOpen(post);
    this.posts.push(post);
    for (const mark of post.marks) this.byMark.set(mark, post);
    return post;
  }

  async #upload(author: Member, mark: number): Promise<UploadId> {
    const { ctx } = this.world;
    const file = { bytes: this.#bytes, description: `hush${mark}a ${randomUUID()}` };
    const upload = await addUpload(ctx, author.id, file);
    await prepareUpload(ctx, { user: author.id, upload });
    return upload;
  }

  /** A new version, which names the same people, and others. */
  async edit(post: Marked, others: readonly Member[] = []): Promise<void> {
    const { ctx } = this.world;
    const mark = this.byMark.size + 1;
    const names = [...post.people, ...others].map(({ name }) => name);
    const { pictures = [], sensitive = false } = await getTweet(ctx, post.id);
    const kept = pictures.map((picture) => picture.id);
    const input = { text: textOf(mark, names), warning: "", pictures: kept, sensitive };
    const isDone = await isAccepted(editTweet(ctx, post.author.id, post.id, input));
    if (!isDone) return;
    post.marks.push(mark);
    this.byMark.set(mark, post);
  }

  async retweet(by: Member, post: Marked): Promise<void> {
    const id = await unlessRefused(retweet(this.world.ctx, by.id, post.id));
    if (id === undefined) return;
    if (!rule.isOpen(post) && by !== post.author)
      throw new Error(`${by.name} retweeted a tweet of ${post.author.name} that is not open`);
    if (!this.posts.some((one) => one.id === id)) await this.#add(by, id, { repeats: post });
  }

  async like(by: Member, post: Marked): Promise<void> {
    const { ctx } = this.world;
    for (const acted of [likeTweet, bookmarkTweet])
      if ((await isAccepted(acted(ctx, by.id, post.id))) && !rule.mayRead(by, post))
        throw new Error(`${by.name} liked a hidden tweet`);
  }

  async delete(post: Marked): Promise<void> {
    await deleteTweet(this.world.ctx, post.author.id, post.id);
    post.gone = true;
  }
}

/** A post, or a draft, before there is more to tell of it. */
function unmarked(author: Member, id: string): Marked {
  return {
    author,
    id: id as TweetId,
    status: "",
    stamp: "",
    audience: "public",
    people: new Set(),
    gone: false,
    marks: [],
    files: [],
    answerers: new Set(),
    isLinked: false,
    isQuoted: false,
    isReported: false,
    wasOpen: false,
  };
}

/** Words that search finds, a mark and a hashtag that must not leak, and one that all posts have. */
function textOf(mark: number, names: readonly string[]): string {
  const calls = names.map((name) => ` @${name}`).join("");
  return `find${mark} hush${mark}t${calls} #birds #hush${mark}h https://example.org/hush${mark}l`;
}
