import type { ListId } from "../../src/domain/ids.ts";
import { conversationAmong } from "../../src/domain/messages/people.ts";
import { keys } from "../../src/redis/keys.ts";
import type { SampleSite } from "./sample-site.ts";

/** Harm that can be undone without a loss: what it is, the kind of the finding, and how it is done. */
export type Damage = [what: string, kind: string, harm: (site: SampleSite) => Promise<unknown>];

/** Of follows, blocks, likes and lists of people. */
export const relationDamages: Damage[] = [
  [
    "a conversation without messages",
    "conversation-stray",
    ({ redis, viewer, spammer }) =>
      redis.zadd(keys.messageRequests(viewer), 1e15, conversationAmong([viewer, spammer])),
  ],
  [
    "a conversation of others",
    "conversation-stray",
    ({ redis, viewer, writer, spammer }) =>
      redis.zadd(keys.messageRequests(spammer), 1e15, conversationAmong([viewer, writer])),
  ],
  [
    "a message that its conversation does not list",
    "tweet-unlisted",
    ({ redis, viewer, writer }) =>
      redis.del(keys.conversation(conversationAmong([viewer, writer]))),
  ],
  [
    "a tweet in a conversation",
    "listed-wrongly",
    ({ redis, viewer, writer, mine }) =>
      redis.zadd(keys.conversation(conversationAmong([viewer, writer])), 1e15, mine),
  ],
  [
    "a follow without its mirror",
    "follow-mirror",
    ({ redis, viewer, writer }) => redis.zrem(keys.followers(writer), viewer),
  ],
  [
    "a mirror without its follow",
    "follow-mirror",
    ({ redis, viewer, spammer }) => redis.zadd(keys.followers(spammer), 1e15, viewer),
  ],
  [
    "a mirror with another stamp",
    "follow-mirror",
    ({ redis, viewer, writer }) => redis.zadd(keys.followers(writer), 1e15, viewer),
  ],
  [
    "a request of which only the mirror is left",
    "request-mirror",
    ({ redis, viewer, spammer }) => redis.zadd(keys.requested(viewer), 1e15, spammer),
  ],
  [
    "a request beside a follow",
    "request",
    async ({ redis, viewer, writer }) => {
      await redis.zadd(keys.followRequests(writer), 1e15, viewer);
      await redis.zadd(keys.requested(viewer), 1e15, writer);
    },
  ],
  [
    "a block without its mirror",
    "block-mirror",
    ({ redis, spammer }) => redis.del(keys.blockedBy(spammer)),
  ],
  [
    "a like without its mirror",
    "like-mirror",
    ({ redis, viewer, liked }) => redis.zrem(keys.tweetLikes(liked), viewer),
  ],
  [
    "a mirror without its like",
    "like-mirror",
    ({ redis, spammer, mine }) => redis.zadd(keys.tweetLikes(mine), 1e15, spammer),
  ],
  [
    "a member of a list who is not followed",
    "list-member",
    ({ redis, viewer, spammer, list }) => redis.zadd(keys.listMembers(viewer, list), 1, spammer),
  ],
  [
    "an option of no follow",
    "follow-option",
    ({ redis, viewer, spammer }) => redis.zadd(keys.watchers(viewer), 1, spammer),
  ],
  [
    "members of a list that is gone",
    "list-member",
    ({ redis, viewer, writer }) => redis.zadd(keys.listMembers(viewer, "1" as ListId), 1, writer),
  ],
  [
    "numbers of a poll that are wrong",
    "poll-numbers",
    ({ redis, asked }) => redis.hincrby(keys.tweetVotes(asked), "n0", 3),
  ],
  [
    "a poll whose number of voters is missing",
    "poll-numbers",
    ({ redis, asked }) => redis.hdel(keys.tweetVotes(asked), "voters"),
  ],
  [
    "a poll that would not end",
    "poll-unlisted",
    ({ redis, asked }) => redis.zrem(keys.endingPolls, asked),
  ],
  [
    "a vote that its user does not list",
    "vote-unlisted",
    ({ redis, writer, asked }) => redis.zrem(keys.votes(writer), asked),
  ],
  [
    "a vote of nobody",
    "vote-left-behind",
    ({ redis, nobody, asked }) => redis.setVote(keys.tweetVotes(asked), nobody, "1"),
  ],
];
