import { digestOfAddress, reconcileAddress } from "../domain/accounts/mail-address.ts";
import { type UserId, userId } from "../domain/ids.ts";
import { keys } from "../redis/keys.ts";
import { type Exam, keyCheck } from "./exam.ts";

interface Listed {
  user: UserId;
  /** Of a mail address. */
  digest: string;
}

const repair = "make the list agree with the account";
const mend = ({ ctx }: Exam, { user, digest }: Listed) => reconcileAddress(ctx, { user, digest });
const jobsFor = ({ user, digest }: Listed) => [`erase ${user}`, `settle-mail ${user} ${digest}`];

/** Digest of the user's confirmed address, from the reply of `hmget … mail deleted_at`. Empty without an address. */
function digestIn([mail, deletedAt]: (string | null)[]): string {
  return mail && typeof deletedAt !== "string" ? digestOfAddress(mail) : "";
}

/** A confirmed mail address leads to its user. */
export const addresses = keyCheck({
  of: ["user"],
  async read(exam, items) {
    const found = await exam.ask(items, ({ key }) => ({
      fields: ["hmget", key, "mail", "deleted_at"],
    }));
    const owned = found
      .map((item) => ({ ...item, user: userId(item.owner), digest: digestIn(item.fields) }))
      .filter(({ digest }) => digest !== "");
    return await exam.ask(owned, ({ user, digest }) => ({
      listed: ["zscore", keys.mailUsers(digest), user],
    }));
  },
  jobs: (state) => jobsFor(state),
  faults: {
    "mail-mirror": {
      detail: ({ listed }) => listed === null && "is not in the list of its mail address",
      repair,
      mend: (exam, state) => mend(exam, state),
    },
  },
});

/** The list of a mail address has the users who confirmed it. */
export const addressLists = keyCheck({
  of: ["mailUsers"],
  each: "member",
  async read(exam, members) {
    const found = await exam.ask(members, ({ id }) => ({
      fields: ["hmget", keys.user(userId(id)), "mail", "deleted_at"],
    }));
    return found.map((item) => ({ ...item, user: userId(item.id), digest: item.owner }));
  },
  jobs: (state) => jobsFor(state),
  faults: {
    "mail-mirror": {
      detail: ({ user, digest, fields }) =>
        digestIn(fields) !== digest && `lists ${user}, who has another mail address or none`,
      repair,
      mend: (exam, state) => mend(exam, state),
    },
  },
});
