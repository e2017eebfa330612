import type { Ctx, JobCount } from "../context.ts";
import { makeResetLink } from "../domain/accounts/reset-links.ts";
import { acceptApplicant } from "../domain/community/join.ts";
import { makeInvitation } from "../domain/community/invitations.ts";
import { Invalid } from "../domain/errors.ts";
import { type Decision, recordEntry, personSubject } from "../domain/moderation/audit.ts";
import { suspendReported } from "../domain/moderation/moderate.ts";
import { giveRole } from "../domain/moderation/accounts.ts";
import { siteUrl } from "../domain/site-url.ts";
import { readSite } from "../domain/site/settings.ts";
import { isAdmin, isModerator } from "../domain/users/roles.ts";
import { findUserByName, toName, type User } from "../domain/users/store.ts";
import { siteStats } from "../domain/feeds/public-lists.ts";
import { readState } from "../migrations/state.ts";
import { exec } from "../redis/exec.ts";
import { keys } from "../redis/keys.ts";
import { readServers, type ServerStats } from "../redis/servers.ts";

interface AdminCommand {
  /** Names of its arguments, in capitals; all are required. */
  args: readonly string[];
  /** What it does, for the list of commands. */
  does: string;
  /** Returns the lines to print. Throws a text for the operator. */
  run(ctx: Ctx, ...args: string[]): Promise<string[]>;
}

const commands: Readonly<Record<string, AdminCommand>> = {
  "reset-password": {
    args: ["NAME"],
    does: "prints a link to set a new password; it works once, for a day",
    run: (ctx, name = "") => resetLink(ctx, name, false),
  },
  "reset-factors": {
    args: ["NAME"],
    does: "the same; the link also removes passkeys, authenticator app and recovery codes",
    run: (ctx, name = "") => resetLink(ctx, name, true),
  },
  "make-admin": {
    args: ["NAME"],
    does: "makes an account an admin; lets it in, if it waits for one",
    run: makeAdmin,
  },
  invite: {
    args: [],
    does: "prints a link that lets one person sign up within a week",
    run: invite,
  },
  suspend: { args: ["NAME"], does: "suspends an account, as on /admin/suspended", run: suspend },
  stats: { args: [], does: "numbers of the site, its jobs and its Redis", run: stats },
};

/** What the words of a shell call. Throws the list of commands if they call none. */
export function parseCall([name = "", ...args]: string[]) {
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined || args.length !== command.args.length) throw new Error(usage());
  return { command, args };
}

function usage(): string {
  const lines = Object.entries(commands).map(
    ([name, { args, does }]) => `  ${[name, ...args].join(" ").padEnd(24)} ${does}`,
  );
  return `usage: npm run admin -- COMMAND\n${lines.join("\n")}`;
}

/** A decision of the operator, for the audit log. */
const ofOperator: Decision = { by: undefined, note: "" };

/** Invitations from the shell are for one person, who has a week to come. */
const invitation = { uses: 1, days: 7, note: "" };

async function invite(ctx: Ctx): Promise<string[]> {
  if ((await readSite(ctx)).signUp === "closed")
    throw new Error("sign-up is closed: no invitation lets people in (SIGNUP, or /admin/site)");
  const token = await makeInvitation(ctx, undefined, invitation).catch((error: unknown) => {
    if (!(error instanceof Invalid)) throw error;
    throw new Error("there are too many open invitations: end some on /admin/invitations");
  });
  return [siteUrl(ctx, `/signup?invitation=${token}`)];
}

/** Makes the first admin. Accepts a waiting applicant too, as there may be no admin to accept them. */
async function makeAdmin(ctx: Ctx, name = ""): Promise<string[]> {
  const { id, waiting } = await requireUser(ctx, name);
  if (waiting) await acceptApplicant(ctx, ofOperator, id);
  const user = await requireUser(ctx, name);
  if (user.suspended) throw new Error(`${user.name} is suspended: reinstate the account first`);
  const wasAdmin = isAdmin(ctx, user);
  await giveRole(ctx, ofOperator, user, "admin");
  return [wasAdmin ? `@${user.name} is an admin already` : `@${user.name} is an admin now`];
}

/** The account that the operator named. Throws a text for the operator. */
async function requireUser(ctx: Ctx, name: string): Promise<User> {
  const user = await findUserByName(ctx, toName(name));
  if (user === undefined) throw new Error(`there is no user ${name}`);
  return user;
}

/** Prints a link where the user chooses a new password; with `removesFactors` for a user who has lost them, too. */
async function resetLink(ctx: Ctx, name: string, removesFactors: boolean): Promise<string[]> {
  const user = await requireUser(ctx, name);
  const verb = removesFactors ? "resetFactors" : "reset";
  await recordEntry(ctx, { ...ofOperator, verb, subject: personSubject(user.id) });
  return [siteUrl(ctx, await makeResetLink(ctx, user, { removesFactors }))];
}

/** As on /admin/suspended, where the account can be reinstated. */
async function suspend(ctx: Ctx, name = ""): Promise<string[]> {
  const user = await requireUser(ctx, name);
  if (isModerator(ctx, user))
    throw new Error(`@${user.name} is a moderator or admin: take the role first, or change ADMINS`);
  if (user.waiting) throw new Error(`@${user.name} waits for an admin: see /admin/requests`);
  await suspendReported(ctx, ofOperator, personSubject(user.id));
  return [user.suspended ? `@${user.name} was suspended before` : `@${user.name} is suspended`];
}

const states = ["waiting", "active", "delayed", "failed"];

export async function stats(ctx: Ctx): Promise<string[]> {
  const { redis } = ctx;
  const { people, tweets, activePeople } = await siteStats(ctx);
  const [suspended, reports] = await exec(redis, [
    ["zcard", keys.suspended],
    ["zcard", keys.openReports],
  ]);
  const state = await readState(redis);
  return [
    row("users", `${people} signed up, ${activePeople} posted in the last 30 days`),
    row("tweets", `${tweets} posted, deleted ones included`),
    row("moderation", `${Number(reports)} open reports, ${Number(suspended)} users suspended`),
    row("jobs", inWords(await ctx.jobs.counts())),
    row("data", `version ${state?.version ?? "unknown: the site was never started"}`),
    ...(await readServers(redis)).map((server) => row("Redis", serverRow(server))),
  ];
}

function row(name: string, text: string): string {
  return `${name.padEnd(12)}${text}`;
}

/** Jobs of all queues together, by state. */
function inWords(counts: JobCount[]): string {
  const total = (state: string) =>
    counts.filter((one) => one.state === state).reduce((sum, { count }) => sum + count, 0);
  return states.map((state) => `${total(state)} ${state}`).join(", ");
}

function serverRow(server: ServerStats): string {
  const { address, version, usedBytes, maxBytes, fileBytes } = server;
  const limit = maxBytes === undefined ? "" : ` of ${megabytes(maxBytes)}`;
  return [
    address,
    `version ${version}`,
    `${server.keys} keys`,
    `${megabytes(usedBytes)}${limit} of memory`,
    fileBytes === undefined ? "no append-only file" : `append-only file of ${megabytes(fileBytes)}`,
  ].join(", ");
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
