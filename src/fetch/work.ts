import type { Ctx, FetchWork } from "../context.ts";
import type { UserId } from "../domain/ids.ts";
import { feedUrls, siteUrl } from "../domain/site-url.ts";
import { readUser } from "../domain/users/store.ts";
import { claimWebsiteCheck, noteWebsite } from "../domain/users/settings.ts";
import { fetchPage, meLinks } from "./page.ts";

/** Milliseconds until the hub must have answered. */
const hubPatience = 10_000;

/** Asks another site. Throws if the hub takes no ping, unless this is the last try: the next tweet pings again. */
export async function runFetch(ctx: Ctx, work: FetchWork, isLast: boolean): Promise<void> {
  if (work.kind === "website") return await checkWebsite(ctx, work.user);
  try {
    await pingHub(ctx, work.user);
  } catch (error) {
    if (!isLast) throw error;
    ctx.log.warn({ err: error }, "the hub of the feeds does not answer");
  }
}

/** Looks whether the page of a user's website links to the profile with rel="me"; at most once a day. */
async function checkWebsite(ctx: Ctx, id: UserId): Promise<void> {
  const user = await readUser(ctx, id);
  if (user === undefined || user.suspended || user.website === "") return;
  if (!(await claimWebsiteCheck(ctx, user))) return;
  const page = await fetchPage(ctx, user.website);
  const profile = placeOf(new URL(siteUrl(ctx, `/@${user.name}`)));
  const isVerified =
    page !== undefined &&
    meLinks(page.html, page.url.href).some((link) => placeOf(link) === profile);
  await noteWebsite(ctx, user, isVerified);
}

/** Names ignore case. */
function placeOf({ origin, pathname }: URL): string {
  return `${origin}${pathname.replace(/\/$/, "")}`.toLowerCase();
}

/** Tells the hub that the feeds of a user have changed, as WebSub's publishers do. */
async function pingHub(ctx: Ctx, id: UserId): Promise<void> {
  const { websubHub } = ctx.config;
  const user = await readUser(ctx, id);
  if (websubHub === undefined || user === undefined || user.suspended || user.protected) return;
  const body = new URLSearchParams({ "hub.mode": "publish" });
  for (const url of feedUrls(siteUrl(ctx, `/@${user.name}`))) body.append("hub.url", url);
  const answer = await fetch(websubHub, {
    method: "POST",
    body,
    redirect: "error",
    signal: AbortSignal.timeout(hubPatience),
  });
  await answer.body?.cancel();
  if (!answer.ok) throw new Error(`the hub answered ${answer.status}`);
}
