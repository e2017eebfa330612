import { type ListId, userId } from "../domain/ids.ts";
import { keys } from "../redis/keys.ts";
import { keyCheck } from "./exam.ts";

/** Members are in a list that exists, and its owner follows them. */
export const listMembers = keyCheck({
  of: ["listMembers"],
  each: "member",
  read(exam, members) {
    const found = members.map((member) => {
      const [owner = "", list = ""] = member.parts;
      return { ...member, user: userId(owner), list: list as ListId };
    });
    return exam.ask(found, ({ key, id, user, list }) => ({
      since: ["zscore", key, id],
      stored: ["hget", keys.lists(user), list],
      followed: ["zscore", keys.followings(user), id],
    }));
  },
  jobs: ({ user, id }) => [`settle-follow ${user} ${id}`, `erase ${user}`, `erase ${id}`],
  faults: {
    "list-member": {
      detail({ id, user, since, stored, followed }, exam) {
        if (since === null || exam.isYoung(since)) return undefined;
        if (stored === null) return `is a member of a list that user ${user} does not have`;
        const mayBeThere = id === user || followed !== null;
        return !mayBeThere && `is in a list of user ${user}, who does not follow them`;
      },
      repair: "take the member out",
      mend: ({ ctx }, { key, id }) => ctx.redis.zrem(key, id),
    },
  },
});
