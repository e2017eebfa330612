import type { Router } from "express";
import { z } from "zod";
import type { Ctx } from "../../../context.ts";
import { messageSenders, replyRights } from "../../../domain/users/choices.ts";
import { mayGoOn } from "../../../domain/users/promised.ts";
import { chooseAudiences } from "../../../domain/users/settings.ts";
import { readChanges, shownMarks, withMarks } from "../../layout/form-changes.ts";
import {
  type Form,
  formOf,
  readForm,
  several,
  showForm,
  textsOf,
  tick,
} from "../../layout/form.ts";
import { confirmation } from "../../request/confirmation.ts";
import { requireReader, requireViewer } from "../../request/reader.ts";
import { limitVerb } from "../../request/limits.ts";
import { formPage } from "../../request/refusals.ts";
import { settingsFrame } from "./view.ts";
import {
  chooseSelfDeletion,
  exceptions,
  findSelfDeletion,
  previewSelfDeletion,
  type SelfDeletion,
} from "../../../domain/accounts/self-deletion.ts";
import { shownFirst } from "../../../domain/tweets/tweet.ts";
import { clip } from "../../layout/text.ts";
import { presentMoment } from "../../layout/time.ts";

/** A message has its people, so it is no default. */
const audiences = ["public", "unlisted", "followers"] as const;

/** Who sees what the user writes, and who may answer and write to them. */
const audienceForm = formOf("/settings/privacy", {
  fields: {
    protected: tick,
    audience: z.enum(audiences),
    repliesFrom: z.enum(replyRights),
    messagesFrom: z.enum(messageSenders),
    messageTexts: tick,
  },
  hidden: { shownMarks },
});

const oldTweetsPath = "/settings/old-tweets";
/** Days that are offered; empty: tweets stay. */
const ages = ["", "7", "30", "90", "180", "365", "730"] as const;
/** Max characters of the tweet that the preview shows. */
const textShown = 100;

const choiceForm = {
  action: oldTweetsPath,
  schema: z
    .object({ days: z.enum(ages), keeps: several(z.enum(exceptions)) })
    .transform(({ days, keeps }): SelfDeletion | undefined =>
      days === "" ? undefined : { days: Number(days), keeps },
    ),
} satisfies Form<unknown>;

/** Who sees what, and tweets that delete themselves: the choice, and before that what would go. */
export function privacySettings(router: Router, ctx: Ctx, secret: string): void {
  const { isProven } = confirmation(ctx, secret);
  const { action } = audienceForm;
  formPage(router, action, {
    show(req, res, problems) {
      const { viewer, words } = requireReader(res);
      const sent = req.body === undefined ? undefined : textsOf(req.body);
      const ticked = (name: string) => sent?.[name] !== undefined;
      const ticks = { protected: ticked("protected"), messageTexts: ticked("messageTexts") };
      res.render("settings/privacy", {
        ...settingsFrame(words, action, "audience.title"),
        form: showForm(words, audienceForm, sent ?? withMarks(audienceForm, viewer), problems),
        chosen: sent === undefined ? viewer : { ...sent, ...ticks },
        isProtected: viewer.protected,
        audiences,
        replyRights,
        messageSenders,
        saved: "saved" in req.query ? words.t("audience.saved") : undefined,
      });
    },
    checks: [limitVerb(ctx, "profile")],
    async submit(req, res) {
      await chooseAudiences(ctx, requireViewer(res), readChanges(audienceForm, req.body));
      res.redirect(303, `${action}?saved`);
    },
  });

  router.get(oldTweetsPath, limitVerb(ctx, "search"), async (req, res) => {
    const { viewer, words } = requireReader(res);
    const current = await findSelfDeletion(ctx, viewer.id);
    const isWaiting = current !== undefined && !mayGoOn(viewer, current.right);
    const isAsked = req.query["days"] !== undefined;
    const shown = isAsked ? readForm(choiceForm, req.query) : current;
    const preview = isAsked ? await previewSelfDeletion(ctx, viewer.id, shown) : undefined;
    const bound = ctx.config.tweetDays;
    const saved = current === undefined ? "audience.saved" : "oldTweets.saved";
    res.render("settings/old-tweets", {
      ...settingsFrame(words, oldTweetsPath, "oldTweets.title"),
      action: oldTweetsPath,
      saved: "saved" in req.query ? words.t(saved) : undefined,
      waits: isWaiting ? words.t("oldTweets.waits") : undefined,
      ages: ages.map((value) => ({
        value,
        text: words.t(value === "" ? "oldTweets.never" : "oldTweets.days", words.counted(+value)),
      })),
      age: String(shown?.days ?? ""),
      keeps: exceptions.map((value) => ({
        value,
        text: words.t(`oldTweets.${value}`),
        chosen: shown === undefined || shown.keeps.includes(value),
      })),
      bound: bound === 0 ? undefined : words.t("oldTweets.bound", words.counted(bound)),
      preview: preview && {
        sentence: words.t(
          preview.isCut ? "oldTweets.previewMany" : "oldTweets.preview",
          words.counted(preview.count),
        ),
        newest:
          preview.newest &&
          words.pieces("oldTweets.newest", {
            time: presentMoment(words, preview.newest.createdAt),
            text: clip(shownFirst(preview.newest), textShown) || words.t("oldTweets.noText"),
          }),
      },
    });
  });
  router.post(oldTweetsPath, limitVerb(ctx, "profile"), async (req, res) => {
    const choice = readForm(choiceForm, req.body);
    // What is deleted is gone for good. To keep tweets needs no proof.
    if (choice !== undefined && !(await isProven(req, res))) return;
    await chooseSelfDeletion(ctx, requireViewer(res).id, choice);
    res.redirect(303, `${oldTweetsPath}?saved=1`);
  });
}
