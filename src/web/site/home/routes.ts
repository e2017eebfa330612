import { randomUUID } from "node:crypto";
import type { Request, Response, Router } from "express";
import { z } from "zod";
import type { Ctx } from "../../../context.ts";
import { bookmarksFeed, globalFeed, homeFeed, markHomeRead } from "../../../domain/feeds/feeds.ts";
import { Invalid, type Problems } from "../../../domain/errors.ts";
import { parseTweetId } from "../../../domain/ids.ts";
import { findFullness } from "../../../domain/pictures/stored-bytes.ts";
import type { User } from "../../../domain/users/store.ts";
import { choicesFor } from "../../layout/audience.ts";
import { formOf, readForm, textsOf } from "../../layout/form.ts";
import { presentTweetList } from "../../layout/paging.ts";
import { readerOf, requireReader, requireViewer } from "../../request/reader.ts";
import { limitVerb } from "../../request/limits.ts";
import { hasEndedSession } from "../../request/session.ts";
import { renderFeed } from "../../server/render.ts";
import { siteUrl } from "../../server/send-public.ts";
import { pollIn, quotedIn, showComposer, type TweetInput } from "../tweets/form.ts";
import { presentExplore, presentHome, presentWelcome } from "./view.ts";

const stamp = z.string().regex(/^\d{1,16}$/);

/** Marks home as read up to the item with this stamp. */
const homeReadForm = formOf("/home/read", { fields: { upto: stamp.transform(Number) } });

/** Home or, signed out, the welcome page; explore: what is new on the whole site; bookmarks. */
export function homePages(router: Router, ctx: Ctx): void {
  router.get("/", async (req, res) => {
    const reader = readerOf(res);
    const text = startOf(ctx, req);
    if (reader.viewer !== undefined) await showHome(ctx, res, { text });
    else if (text !== undefined || hasEndedSession(req))
      res.redirect(303, `/login?next=${encodeURIComponent(req.originalUrl)}`);
    else {
      const { site } = res.locals;
      await renderFeed(res, "welcome/index", reader, async (who) =>
        presentWelcome(ctx, who, site, await globalFeed(ctx, who)),
      );
    }
  });

  router.post(homeReadForm.action, limitVerb(ctx, "readHome"), async (req, res) => {
    const { upto } = readForm(homeReadForm, req.body);
    await markHomeRead(ctx, requireViewer(res), upto);
    res.redirect(303, "/");
  });

  router.get("/explore", async (_req, res) => {
    await renderFeed(res, "explore/index", readerOf(res), async (reader) =>
      presentExplore(ctx, reader, await globalFeed(ctx, reader)),
    );
  });

  router.get("/bookmarks", async (_req, res) => {
    await renderFeed(res, "bookmarks/index", requireReader(res), async (reader) => {
      const { viewer, words } = reader;
      const feed = await bookmarksFeed(ctx, viewer.id, reader);
      const list = await presentTweetList(ctx, reader, "/bookmarks", feed, "bookmarks.empty");
      return { title: words.t("nav.bookmarks"), ...list };
    });
  });
}

/** Options of a composer; by default for a tweet that answers none. */
export async function composerOptions(ctx: Ctx, writer: User, choices = choicesFor(writer)) {
  const fullness = await findFullness(ctx, writer.id);
  return { writer, hasStorage: ctx.storage !== undefined, fullness, choices };
}

/** What every composer sends, as tweets have it. Throws Invalid if another user has logged in since it was shown. */
export function writtenIn(
  ctx: Ctx,
  res: Response,
  typed: Pick<TweetInput, "writer" | "text" | "warning" | "sensitive">,
) {
  const { id } = requireViewer(res);
  const { writer = id, text, warning, sensitive } = typed;
  if (writer !== id) throw new Invalid({ form: "form.writer" });
  const quoteOf = quotedIn(text, `${siteUrl(ctx, res.req)}/tweets/`);
  return { text, warning, sensitive: sensitive === "on", quoteOf };
}

/** What a composer sends, as posts and drafts have it. Throws Invalid if the answered tweet cannot be one. */
export function inputOf(ctx: Ctx, res: Response, typed: TweetInput, as: "post" | "draft" = "post") {
  const { reply_to: replyTo } = typed;
  const { audience: usual, repliesFrom } = requireViewer(res);
  // Without a choice of audience it answers a message: its draft stays that, though the message may be gone.
  const audience = as === "draft" && replyTo !== undefined ? "mentioned" : usual;
  if (replyTo === undefined && textsOf(res.req.body)["reply_to"] !== undefined)
    throw new Invalid({ form: "reply.gone" });
  return {
    ...writtenIn(ctx, res, typed),
    replyTo,
    poll: pollIn(typed),
    audience: typed.audience ?? audience,
    repliesFrom: typed.replies_from ?? repliesFrom,
  };
}

/** Text of a new composer: what another app shares by `text`, `title` and `url`, or a link to the tweet `quote`. */
function startOf(ctx: Ctx, req: Request): string | undefined {
  const { text, title, url, quote } = textsOf(req.query);
  const quoted = parseTweetId(quote ?? "");
  if (quoted !== undefined) return `\n\n${siteUrl(ctx, req)}/tweets/${quoted}`;
  const shared = [...new Set([title, text, url].map((part = "") => part.trim()))];
  // Many apps repeat the title or the address in the text.
  const isRepeated = (part: string) => shared.some((one) => one !== part && one.includes(part));
  return shared.filter((part) => !isRepeated(part)).join("\n") || undefined;
}

/** Shows home, with the composer's input and its problems: for `GET /`, and for a refused tweet that answers none. */
export async function showHome(
  ctx: Ctx,
  res: Response,
  typed: Record<string, string | undefined>,
  problems?: Problems,
): Promise<void> {
  await renderFeed(res, "home/index", requireReader(res), async (reader) => {
    const { viewer, words, kept, late = String } = reader;
    const feed = await homeFeed(ctx, viewer, reader);
    const fields = { nonce: late(randomUUID(), "nonce"), ...typed };
    const make = async () =>
      showComposer(words, await composerOptions(ctx, viewer), fields, problems);
    const composer = await (kept?.value(ctx, "composer", make) ?? make());
    return await presentHome(ctx, reader, feed, composer);
  });
}
