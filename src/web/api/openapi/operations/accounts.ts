import { z } from "zod";
import { emptyList, knows, many, needs, one, type Operation, paging } from "../operation.ts";

const reads = knows("read:accounts");

function act(name: string, summary: string, scope: string): Operation {
  const path = `/api/v1/accounts/{id}/${name}`;
  return { method: "post", path, summary, access: needs(scope), answer: one("Relationship") };
}

function list(path: string, summary: string, access: Operation["access"]): Operation {
  const query = paging(80);
  return { method: "get", path, summary, access, query, answer: many("Account"), paged: true };
}

/** People. */
export const accountOperations: readonly Operation[] = [
  {
    method: "post",
    path: "/api/v1/accounts",
    summary: "Sign up, through an app",
    access: needs("write:accounts"),
    body: z.object({
      username: z.string(),
      password: z.string(),
      email: z.string().optional().describe("Not kept."),
      agreement: z.boolean().optional(),
      locale: z.string().optional(),
    }),
    answer: one("Token"),
  },
  {
    method: "get",
    path: "/api/v1/accounts",
    summary: "Several at once",
    access: reads,
    query: z.object({ id: z.array(z.string()).optional() }),
    answer: many("Account"),
  },
  {
    method: "get",
    path: "/api/v1/accounts/verify_credentials",
    summary: "Oneself",
    access: needs("read:accounts"),
    answer: one("CredentialAccount"),
  },
  {
    method: "patch",
    path: "/api/v1/accounts/update_credentials",
    summary: "Change one's profile",
    access: needs("write:accounts"),
    body: z.object({
      display_name: z.string().optional(),
      note: z.string().optional(),
      avatar: z.string().optional().describe("A picture, in multipart."),
      fields_attributes: z
        .array(z.object({ name: z.string(), value: z.string() }))
        .optional()
        .describe("The first address among them is the website."),
    }),
    answer: one("CredentialAccount"),
  },
  {
    method: "get",
    path: "/api/v1/accounts/lookup",
    summary: "By name",
    access: reads,
    query: z.object({ acct: z.string() }),
    answer: one("Account"),
  },
  {
    method: "get",
    path: "/api/v1/accounts/search",
    summary: "People whose name begins so",
    access: needs("read:accounts"),
    query: z.object({
      q: z.string(),
      limit: z.int().min(1).max(80).optional(),
      offset: z.int().min(0).optional(),
      resolve: z.boolean().optional(),
      following: z.boolean().optional(),
    }),
    answer: many("Account"),
  },
  {
    method: "get",
    path: "/api/v1/accounts/relationships",
    summary: "How one stands to some people",
    access: needs("read:follows"),
    query: z.object({ id: z.array(z.string()) }),
    answer: many("Relationship"),
  },
  {
    method: "get",
    path: "/api/v1/accounts/familiar_followers",
    summary: "Answers empty lists",
    access: needs("read:follows"),
    query: z.object({ id: z.array(z.string()).optional() }),
    answer: { schema: z.array(z.strictObject({ id: z.string(), accounts: z.tuple([]) })) },
  },
  {
    method: "get",
    path: "/api/v1/accounts/{id}",
    summary: "Somebody",
    access: reads,
    answer: one("Account"),
  },
  list("/api/v1/accounts/{id}/followers", "Who follows somebody", reads),
  list("/api/v1/accounts/{id}/following", "Whom somebody follows", reads),
  act("follow", "Follow", "write:follows"),
  act("unfollow", "Unfollow", "write:follows"),
  act("remove_from_followers", "Let a follower go", "write:follows"),
  act("block", "Block", "write:blocks"),
  act("unblock", "Unblock", "write:blocks"),
  act("mute", "Mute", "write:mutes"),
  act("unmute", "Unmute", "write:mutes"),
  ...["lists", "featured_tags"].map((name): Operation => ({
    method: "get",
    path: `/api/v1/accounts/{id}/${name}`,
    summary: "Always empty",
    access: name === "lists" ? needs("read:lists") : reads,
    answer: emptyList,
  })),
  {
    method: "delete",
    path: "/api/v1/profile/avatar",
    summary: "Take one's picture away",
    access: needs("write:accounts"),
    answer: one("CredentialAccount"),
  },
  list("/api/v1/mutes", "Whom one mutes", needs("read:mutes")),
  list("/api/v1/blocks", "Whom one blocks", needs("read:blocks")),
];
