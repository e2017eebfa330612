import { type Act, actLimits, guessLimits, type Limit, type Limits } from "./limits.ts";

const units: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };
const mostPoints = 1_000_000_000;
const daySeconds = 86_400;

const syntax = "a number and a time of at most 1d, as 300/3h or 10/30m (s, m, h or d)";
const ofAddress = `must be ${syntax}`;
const ofBoth = `${ofAddress}: of one account; after a comma the same of one address`;

/** A setting of limits: the names of those that it sets, in the order of its values. */
interface LimitSetting {
  sets: readonly string[];
  allowed: string;
}

/** LIMIT_TWEETS and so on: one for each act, and one for wrong passwords. */
const limitSettings: ReadonlyMap<string, LimitSetting> = new Map([
  ...(Object.keys(actLimits) as Act[]).map((act): [string, LimitSetting] => [
    `LIMIT_${act.replaceAll(/[A-Z]/g, "_$&").toUpperCase()}`,
    settingOf(act),
  ]),
  [
    "LIMIT_LOG_INS",
    {
      sets: ["guesses:nameFromAddress", "guesses:address"],
      allowed: `${ofAddress}: wrong passwords for one name from one address; after a comma those for all names`,
    },
  ],
]);

/** A share, and not a limit. */
const firstDay = "LIMIT_FIRST_DAY";

export const limitSettingNames: readonly string[] = [...limitSettings.keys()];

function settingOf(act: Act): LimitSetting {
  const { account, address }: Limits = actLimits[act];
  if (account === undefined) return { sets: [`${act}:address`], allowed: ofAddress };
  if (address === undefined) return { sets: [`${act}:account`], allowed: ofAddress };
  return { sets: [`${act}:account`, `${act}:address`], allowed: ofBoth };
}

/** Limits by their names, or a complaint about each setting that is wrong. */
export function parseLimitSettings(given: Readonly<Record<string, string>>): {
  limits: Record<string, Limit>;
  complaints: string[];
} {
  const limits: Record<string, Limit> = {};
  const complaints: string[] = [];
  for (const [name, text] of Object.entries(given)) {
    if (!name.startsWith("LIMIT_") || name === firstDay) continue;
    const setting = limitSettings.get(name);
    const values = text.split(",").map(parseLimit);
    if (setting === undefined) complaints.push(`${name}: there is no such limit`);
    else if (values.includes(undefined) || values.length > setting.sets.length)
      complaints.push(`${name}=${text.replaceAll(/\s+/g, " ").slice(0, 100)}: ${setting.allowed}`);
    else Object.assign(limits, limitsOf(setting, values as Limit[]));
  }
  return { limits, complaints };
}

/** Without a value of its own, an address keeps its ratio to an account. */
function limitsOf({ sets: [first = "", second] }: LimitSetting, [one, other]: Limit[]) {
  if (one === undefined) return {};
  if (second === undefined) return { [first]: one };
  const points = Math.ceil(one.points * ratioOf(first));
  return { [first]: one, [second]: other ?? { ...one, points } };
}

function ratioOf(name: string): number {
  if (name.startsWith("guesses:"))
    return guessLimits.address.points / guessLimits.nameFromAddress.points;
  const { account, address }: Limits = actLimits[name.split(":")[0] as Act];
  return (address?.points ?? 1) / (account?.points ?? 1);
}

/** Undefined unless the text is as "300/3h". */
function parseLimit(text: string): Limit | undefined {
  const [, points, count, unit = ""] =
    /^\s*(\d{1,10})\s*\/\s*(\d{0,6})\s*([smhd])\s*$/.exec(text) ?? [];
  if (points === undefined || count === undefined) return undefined;
  const seconds = (count === "" ? 1 : Number(count)) * (units[unit] ?? 0);
  const limit = { points: Number(points), seconds };
  const isAllowed = limit.points >= 1 && limit.points <= mostPoints;
  return isAllowed && seconds >= 1 && seconds <= daySeconds ? limit : undefined;
}
