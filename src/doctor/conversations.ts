import { type ConversationId, userId } from "../domain/ids.ts";
import { peopleIn } from "../domain/messages/people.ts";
import { keys } from "../redis/keys.ts";
import { eachKey, takeOut } from "./run.ts";

/** A user's lists have conversations of the user, with messages in them. */
export const conversationLists = eachKey({
  of: ["conversations", "messageRequests"],
  each: "member",
  read: async (run, member) => {
    const id = member.id as ConversationId;
    if (run.isYoung(member.value)) return undefined;
    const hasMessages = (await run.ctx.redis.exists(keys.conversation(id))) === 1;
    return { ...member, hasMessages, isOwn: peopleIn(id).includes(userId(member.owner)) };
  },
  jobs: ({ owner }) => [`erase ${owner}`],
  faults: {
    "conversation-stray": {
      detail({ id, hasMessages, isOwn }) {
        if (!isOwn) return `has ${id}, which is no conversation of the user`;
        return !hasMessages && `has ${id}, in which there is no message`;
      },
      how: "take it out",
      repair: takeOut,
    },
  },
});
