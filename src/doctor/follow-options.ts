import { userId } from "../domain/ids.ts";
import { keys } from "../redis/keys.ts";
import { keyCheck } from "./exam.ts";

/** Options of follows: the follow exists. */
export const followOptions = keyCheck({
  of: ["withoutRetweets", "watchers"],
  each: "member",
  read(exam, members) {
    const found = members.map((member) => {
      const { name, owner, id } = member;
      const [from, to] = name === "watchers" ? [id, owner] : [owner, id];
      return { ...member, follower: userId(from), followee: userId(to) };
    });
    return exam.ask(found, ({ key, id, follower, followee }) => ({
      since: ["zscore", key, id],
      followed: ["zscore", keys.followings(follower), followee],
    }));
  },
  jobs: ({ follower, followee }) => [
    `settle-follow ${follower} ${followee}`,
    `erase ${follower}`,
    `erase ${followee}`,
  ],
  faults: {
    "follow-option": {
      detail({ follower, followee, since, followed }, exam) {
        if (since === null || exam.isYoung(since)) return undefined;
        return (
          followed === null && `is of a follow of ${followee} by ${follower}, which is not there`
        );
      },
      repair: "take it out",
      mend: ({ ctx }, { key, id }) => ctx.redis.zrem(key, id),
    },
  },
});
