import type { Ctx } from "../../../context.ts";
import { findApps } from "../../../domain/apps/store.ts";
import { digestOf } from "../../../domain/secrets.ts";
import type { Problems } from "../../../domain/problems.ts";
import type { Alert, Choice, Policy, Subscription } from "../../../domain/push/subscription.ts";
import { listSubscriptions } from "../../../domain/push/subscriptions.ts";
import { vapidKeys } from "../../../domain/push/vapid.ts";
import type { User } from "../../../domain/users/store.ts";
import { sentenceFor } from "../../layout/form.ts";
import { endSessionForm } from "../settings/form.ts";
import { endPushForm, pushChoiceForm, pushForm } from "./form.ts";
import type { Key, SignedInReader, Translator } from "../../languages/translator.ts";
import { deviceName, settingsFrame } from "../settings/view.ts";
import { presentMoment } from "../../layout/time.ts";

/** What the site offers; apps have more kinds. */
const kinds: readonly Alert[] = ["mention", "follow", "favourite", "reblog", "status"];
const policies: readonly Policy[] = ["all", "followed", "follower"];

/** Quiet: only what is said to the user. */
const offered: Choice = { alerts: new Set(["mention"]), policy: "all" };

/** The page of pushes: this browser, and all devices that get some. `session` is that of the browser. */
export async function presentPush(
  ctx: Ctx,
  { viewer, words }: SignedInReader,
  session: string,
  problems: Problems,
) {
  const all = await listSubscriptions(ctx, viewer);
  const apps = await findApps(
    ctx,
    all.flatMap(({ holder }) => (holder.by === "app" ? [holder.app] : [])),
  );
  const nameOf = ({ holder }: Subscription) =>
    holder.by === "app"
      ? (apps.get(holder.app)?.name ?? holder.app)
      : deviceName(words, holder.device);
  const here = all.find(({ holder }) => holder.id === session);
  const [problem] = Object.values(problems);
  return {
    ...settingsFrame(words, endSessionForm.action, "push.title"),
    error: problem && sentenceFor(words, problem),
    here:
      here === undefined
        ? { action: pushForm.action, isOn: false }
        : { action: pushChoiceForm.action, isOn: true, end: endFormOf(here) },
    serverKey: vapidKeys(ctx.config).publicKey,
    kinds,
    policies,
    chosen: here ?? offered,
    devices: all.map((one) => ({
      name: nameOf(one),
      current: one === here,
      since: words.pieces("settings.since", { time: presentMoment(words, one.createdAt) }),
      kinds: kindsOf(words, one),
      end: endFormOf(one),
    })),
  };
}

/** "Replies and mentions, Likes" */
function kindsOf(words: Translator, { alerts, policy }: Subscription): string {
  const chosen = policy === "none" ? [] : kinds.filter((kind) => alerts.has(kind));
  if (chosen.length === 0) return words.t("push.nothing");
  const list = new Intl.ListFormat(words.language, { type: "conjunction", style: "narrow" });
  return list.format(chosen.map((kind) => words.t(`push.${kind}` as Key)));
}

function endFormOf(one: Subscription) {
  return { action: endPushForm.action, hidden: [{ name: "device", value: handleOf(one) }] };
}

/** For pages, which must contain neither the id of a session nor the digest of a token. */
function handleOf({ holder }: Subscription): string {
  return digestOf(holder.id).slice(0, 16);
}

export async function findPushByHandle(
  ctx: Ctx,
  user: User,
  handle: string,
): Promise<Subscription | undefined> {
  return (await listSubscriptions(ctx, user)).find((one) => handleOf(one) === handle);
}
