import type { Router } from "express";
import { z } from "zod";
import type { Ctx } from "../../../context.ts";
import { findApps } from "../../../domain/apps/store.ts";
import {
  type Alert,
  alerts,
  type Choice,
  policies,
  type Policy,
  type Subscription,
  changeSubscription,
  endSubscription,
  listSubscriptions,
  subscribe,
} from "../../../domain/push/subscriptions.ts";
import { vapidKeys } from "../../../domain/push/endpoints.ts";
import { handleOf } from "../../../domain/secrets.ts";
import type { Key, Translator } from "../../languages/translator.ts";
import { anyText, formOf, readForm, sentenceFor, several, showForm } from "../../layout/form.ts";
import { presentMoment } from "../../layout/time.ts";
import { requireReader, requireViewer } from "../../request/reader.ts";
import { limitVerb } from "../../request/limits.ts";
import { formPage } from "../../request/refusals.ts";
import { deviceName, settingsFrame } from "../settings/view.ts";

const choice = {
  alerts: several(z.enum(alerts)).transform((names) => new Set(names)),
  policy: z.enum(policies).default("all"),
};

/** Turns pushes on for this browser; the site's script fills the hidden fields. */
const pushForm = formOf("/settings/push", {
  fields: { ...choice, endpoint: anyText, p256dh: anyText, auth: anyText },
});

/** Changes what is pushed to this browser. */
const pushChoiceForm = formOf("/settings/push/choice", { fields: choice });

/** Ends the subscription with this handle, of a browser or an app. */
const endPushForm = formOf("/settings/push/remove", { hidden: { device: z.string() } });

/** What the site offers; apps have more kinds. */
const kinds: readonly Alert[] = [
  "mention",
  "follow",
  "follow_request",
  "poll",
  "favourite",
  "reblog",
  "status",
];
const offeredPolicies: readonly Policy[] = ["all", "followed", "follower"];

/** Quiet: only what is said to the user. */
const offered: Choice = { alerts: new Set(["mention"]), policy: "all" };

/** Pushes to browsers and apps of the viewer. A subscription belongs to a session, and ends with it. */
export function pushSettings(router: Router, ctx: Ctx): void {
  const limited = limitVerb(ctx, "push");

  formPage(router, pushForm.action, {
    async show(req, res, problems) {
      const { viewer, words } = requireReader(res);
      const all = await listSubscriptions(ctx, viewer);
      const clients = all.flatMap(({ holder }) => (holder.by === "app" ? [holder.app] : []));
      const apps = await findApps(ctx, clients);
      const here = all.find(({ holder }) => holder.id === req.sessionID);
      const [problem] = Object.values(problems);
      const endFormOf = ({ holder }: Subscription) =>
        showForm(words, endPushForm, { device: handleOf(holder.id) });
      res.render("settings/push", {
        ...settingsFrame(words, pushForm.action, "push.title"),
        error: problem && sentenceFor(words, problem),
        here:
          here === undefined
            ? { action: pushForm.action, isOn: false }
            : { action: pushChoiceForm.action, isOn: true, end: endFormOf(here) },
        serverKey: vapidKeys(ctx.config).publicKey,
        kinds,
        policies: offeredPolicies,
        chosen: here ?? offered,
        devices: all.map((one) => ({
          name:
            one.holder.by === "app"
              ? (apps.get(one.holder.app)?.name ?? one.holder.app)
              : deviceName(words, one.holder.device),
          current: one === here,
          since: words.pieces("settings.since", { time: presentMoment(words, one.createdAt) }),
          kinds: kindsOf(words, one),
          end: endFormOf(one),
        })),
      });
    },
    checks: [limited],
    async submit(req, res) {
      const viewer = requireViewer(res);
      const input = readForm(pushForm, req.body);
      const device = (req.get("user-agent") ?? "").slice(0, 200);
      const holder = { by: "browser", id: req.sessionID, device } as const;
      await subscribe(ctx, viewer, holder, { ...input, standard: true });
      res.redirect(303, pushForm.action);
    },
  });

  router.post(pushChoiceForm.action, limited, async (req, res) => {
    const chosen = readForm(pushChoiceForm, req.body);
    await changeSubscription(ctx, requireViewer(res), req.sessionID, chosen);
    res.redirect(303, pushForm.action);
  });

  router.post(endPushForm.action, async (req, res) => {
    const viewer = requireViewer(res);
    const { device } = readForm(endPushForm, req.body);
    const all = await listSubscriptions(ctx, viewer);
    const ended = all.find((one) => handleOf(one.holder.id) === device);
    if (ended !== undefined) await endSubscription(ctx, viewer, ended.holder.id);
    res.redirect(303, pushForm.action);
  });
}

/** "Replies and mentions, Likes" */
function kindsOf(words: Translator, chosen: Subscription): string {
  const shown = chosen.policy === "none" ? [] : kinds.filter((kind) => chosen.alerts.has(kind));
  if (shown.length === 0) return words.t("push.nothing");
  const list = new Intl.ListFormat(words.language, { type: "conjunction", style: "narrow" });
  return list.format(shown.map((kind) => words.t(`push.${kind}` as Key)));
}
