import { pinTweet } from "../../src/domain/actions/pin-tweet.ts";
import { changeFollowOptions } from "../../src/domain/actions/follow.ts";
import { followTag } from "../../src/domain/graph/follows.ts";
import { giveRole } from "../../src/domain/moderation/accounts.ts";
import { reportTweet } from "../../src/domain/moderation/report.ts";
import { findUser, type User } from "../../src/domain/users/store.ts";
import { picture } from "../support/data/pictures.ts";
import { createWorld } from "../support/world/world.ts";
import { type Marked, type Member, siteUrl } from "./marked-posts.ts";
import { MarkedSite } from "./marked-site.ts";
import { audiences } from "./rule.ts";

/**
 * A site with a post of each kind for each kind of reader. ann protects her account, after she has written for
 * everyone; ben does not. cat follows both. dan followed both, and ann has removed him. Both have blocked eve, who
 * followed them. max is a moderator, follows nobody, and has asked to follow ann. All have drafts.
 */
export async function makeScene(smtpUrl: string): Promise<MarkedSite> {
  const mails = { smtpUrl, mailFrom: "site@example.org" };
  const world = await createWorld({ baseUrl: siteUrl, pushToLoopback: true, ...mails });
  const site = new MarkedSite(world, await picture("png", { width: 40, height: 30 }));
  for (const name of ["ann", "ben", "cat", "dan", "eve", "max"]) await site.join(name);
  const [ann, ben, cat, dan, eve, max] = site.members as [
    Member,
    Member,
    Member,
    Member,
    Member,
    Member,
  ];
  await makeModerator(site, max);
  for (const follower of [cat, dan, eve])
    for (const followee of [ann, ben]) await site.follow(follower, followee);
  await site.follow(ann, ben);
  for (const { id } of site.members) await followTag(world.ctx, id, "birds");
  for (const watcher of [cat, dan, eve])
    for (const { id } of [ann, ben])
      await changeFollowOptions(
        world.ctx,
        { follower: watcher.id, followee: id },
        { notify: true },
      );

  // What was open before ann protects her account.
  const early = await must(
    site.post(ann, { audience: "public", hasPicture: true, hasWarning: true }),
  );
  await site.post(dan, { audience: "public", answers: early });
  await site.post(ben, { audience: "public", quotes: early });
  for (const one of [cat, dan]) await site.retweet(one, early);
  await site.protect(ann, true);
  await site.follow(max, ann);

  const posts: Marked[] = [early];
  for (const author of [ann, ben])
    for (const audience of audiences) {
      const names = audience === "mentioned" ? ["dan", "cat"] : [];
      const hasWarning = audience === "unlisted";
      posts.push(await must(site.post(author, { audience, names, hasWarning, hasPicture: true })));
    }
  for (const author of [ann, ben])
    posts.push(await must(site.post(author, { audience: "followers", names: ["max"] })));
  await world.delivered();
  for (const post of posts) {
    for (const one of [dan, eve]) await site.like(one, post);
    for (const one of [cat, post.author])
      await site.post(one, { audience: "public", answers: post });
    await site.retweet(post.author, post);
    // The site must refuse it.
    if (post.audience === "followers") await site.retweet(cat, post);
    await site.post(cat, { audience: "public", quotes: post });
  }
  // Ben does not follow ann, and may not know that she retweets him.
  for (const post of posts.filter(({ author }) => author === ben)) await site.retweet(ann, post);
  await world.delivered();
  for (const author of [ann, ben]) {
    const own = posts.filter((one) => one.author === author && one.audience === "followers");
    for (const post of own) await site.edit(post);
    // Whoever is named in a later version of a message is not let in.
    const message = posts.find((one) => one.author === author && one.audience === "mentioned");
    if (message !== undefined) await site.edit(message, [max]);
    if (own[0] !== undefined) {
      await pinTweet(world.ctx, author.id, own[0].id);
      await report(site, cat, own[0]);
    }
  }
  await site.unfollow(dan, ann);
  await site.block(ben, eve);
  await site.block(ann, eve);
  const later = world.ctx.now() + 300 * 24 * 60 * 60 * 1000;
  for (const member of site.members)
    for (const at of [undefined, later]) await site.draft(member, at);
  await world.delivered();
  return site;
}

async function makeModerator({ world }: MarkedSite, member: Member): Promise<void> {
  const user = (await findUser(world.ctx, member.id)) as User;
  await giveRole(world.ctx, { by: undefined, note: "" }, user, "moderator");
  member.moderates = true;
}

async function report({ world }: MarkedSite, by: Member, post: Marked): Promise<void> {
  const reporter = (await findUser(world.ctx, by.id)) as User;
  await reportTweet(world.ctx, reporter, post.id, { reason: "abuse", comment: "" });
  post.isReported = true;
}

async function must<Value>(made: Promise<Value | undefined>): Promise<Value> {
  const value = await made;
  if (value === undefined) throw new Error("the site refuses a post of the scene");
  return value;
}
