import type { Request, Response, Router } from "express";
import { z } from "zod";
import type { Ctx } from "../../../context.ts";
import { postTweet } from "../../../domain/actions/post-tweet.ts";
import { findFeedItem } from "../../../domain/feeds/thread.ts";
import type { ConversationId } from "../../../domain/ids.ts";
import {
  conversationsPage,
  getConversation,
  messagesFeed,
} from "../../../domain/messages/conversations.ts";
import {
  joinConversation,
  leaveConversation,
  markConversationRead,
} from "../../../domain/messages/marks.ts";
import {
  conversationPath,
  conversationWith,
  pathOfMessage,
  peopleIn,
} from "../../../domain/messages/people.ts";
import { retractSeen } from "../../../domain/notifications/store.ts";
import { bestEffort } from "../../../domain/outage.ts";
import { noChoices } from "../../layout/audience.ts";
import { formOf, readForm, showForm, textsOf } from "../../layout/form.ts";
import { presentNavigation, readBadges } from "../../layout/navigation.ts";
import { requireReader, requireViewer } from "../../request/reader.ts";
import { countVerb, limitVerb } from "../../request/limits.ts";
import { keepPictures, keptIn, receivePictures } from "../../request/pictures.ts";
import { formPage, onRefusal, refuseGone, type ShowForm } from "../../request/refusals.ts";
import { renderTimeline } from "../../server/render.ts";
import { composerOptions, showHome, writtenIn } from "../home/routes.ts";
import { isLook } from "../notifications/routes.ts";
import { pollIn, showComposer, tweetForm } from "../tweets/form.ts";
import { presentConversation, presentConversations } from "./view.ts";

/** Begins a conversation: names of people. */
const newForm = formOf("/messages/new", { fields: { to: z.string() } });

const goneConversation = "message.gone";

/** The composer of a conversation. `reply_to`: the newest message that its page shows. */
function messageForm(id: ConversationId) {
  return { ...tweetForm, action: conversationPath(id) };
}

/** Conversations of the viewer. Looking at one marks it as read. */
export function messagePages(router: Router, ctx: Ctx): void {
  const conversationIn = async (req: Request, res: Response) =>
    await getConversation(ctx, requireViewer(res), String(req.params["people"]));

  router.get("/messages", async (_req, res) => {
    const reader = requireReader(res);
    const { viewer, before } = reader;
    const [page, requests] = await Promise.all([
      conversationsPage(ctx, viewer, { before }),
      conversationsPage(ctx, viewer, { list: "messageRequests", limit: 1 }),
    ]);
    const view = await presentConversations(ctx, reader, "/messages", page);
    res.render("messages/index", { ...view, hasRequests: requests.items.length > 0 });
  });

  router.get("/messages/requests", async (_req, res) => {
    const reader = requireReader(res);
    const { viewer, before } = reader;
    const page = await conversationsPage(ctx, viewer, { list: "messageRequests", before });
    const view = await presentConversations(ctx, reader, "/messages/requests", page);
    res.render("messages/index", { ...view, backUrl: "/messages" });
  });

  formPage(router, newForm.action, {
    show(req, res, problems) {
      const { words } = requireReader(res);
      const typed = req.method === "POST" ? req.body : req.query;
      const form = showForm(words, newForm, typed, problems);
      res.render("messages/new", { title: words.t("messages.new"), form });
    },
    checks: [limitVerb(ctx, "view")],
    async submit(req, res) {
      const viewer = requireViewer(res);
      const { to } = readForm(newForm, req.body);
      res.redirect(303, conversationPath(await conversationWith(ctx, viewer, to)));
    },
  });

  const show: ShowForm = async (req, res, problems) => {
    const reader = requireReader(res);
    const { viewer, words, before } = reader;
    const conversation = await conversationIn(req, res);
    const { id, isRequest, read } = conversation;
    const feed = await messagesFeed(ctx, viewer, id, { before });
    const [newest] = feed.items;
    if (isLook(req)) await bestEffort(retractSeen(ctx, viewer.id, feed.items));
    if (newest !== undefined && before === undefined && isLook(req)) {
      const badges = await readBadges(ctx, viewer);
      await bestEffort(markConversationRead(ctx, viewer.id, { id, stamp: newest.stamp }));
      if (newest.stamp > read && !isRequest) badges.messages = Math.max(0, badges.messages - 1);
      res.locals.nav = presentNavigation(ctx, reader, { path: "/messages", next: "/" }, badges);
    }
    const uploads = keptIn(req).join(" ");
    const typed = { ...textsOf(req.body), uploads, reply_to: newest?.tweet.id };
    const options = await composerOptions(ctx, viewer, noChoices);
    const composer = showComposer(words, options, typed, problems, messageForm(id));
    const view = await presentConversation(ctx, reader, conversation, feed, composer);
    await renderTimeline(res, "messages/show", view, { isKept: false });
  };
  const limited = limitVerb(ctx, "tweet");
  /** Gives the text for a conversation that is gone to the composer of a new message. */
  const textAgain = onRefusal(async (req, res, problems) => {
    if (problems["form"] !== goneConversation) return await show(req, res, problems);
    const typed = { ...textsOf(req.body), uploads: keptIn(req).join(" ") };
    await showHome(ctx, res, { ...typed, audience: "mentioned", reply_to: undefined }, problems);
  });
  router.get("/messages/:people", (req, res) => show(req, res, {}));
  router.post("/messages/:people", textAgain, receivePictures(), limited, async (req, res) => {
    const viewer = requireViewer(res);
    const { id } = await conversationIn(req, res).catch(refuseGone(goneConversation));
    const typed = readForm(messageForm(id), req.body);
    const { nonce, reply_to: newest } = typed;
    const pictures = await keepPictures(ctx, req, res);
    // It may have been deleted meanwhile: then the message answers none.
    const answered = newest && (await findFeedItem(ctx, viewer, newest));
    const message = await postTweet(ctx, viewer.id, {
      ...writtenIn(ctx, res, typed),
      nonce,
      replyTo: answered?.tweet.id,
      pictures,
      poll: pollIn(typed),
      audience: "mentioned",
      people: peopleIn(id).filter((person) => person !== viewer.id),
      charge: (points) => countVerb(ctx, req, res, "mention", points),
    });
    // Without those who have erased their accounts it is another conversation.
    res.redirect(303, await pathOfMessage(ctx, message));
  });

  router.post("/messages/:people/accept", limitVerb(ctx, "mute"), async (req, res) => {
    const { id } = await conversationIn(req, res);
    await joinConversation(ctx, requireViewer(res).id, id);
    res.redirect(303, conversationPath(id));
  });
  router.post("/messages/:people/leave", async (req, res) => {
    const { id } = await conversationIn(req, res);
    await leaveConversation(ctx, requireViewer(res).id, id);
    res.redirect(303, "/messages");
  });
}
