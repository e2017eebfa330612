import {
  classNames,
  type CountedVerb,
  type LimitClass,
  type LimitName,
  rowOf,
} from "./limit-classes.ts";

/** Number of points in a window of time; after it, all of them are restored at once. */
export interface Limit {
  points: number;
  seconds: number;
}

/** Points of a mention or a reply to a user who does not follow the author; to a follower it costs one. */
export const strangerPoints = 10;

interface Cost {
  limitClass: LimitClass;
  points: number;
}

const costs = new Map<string, Cost>();
/** Limits of accounts and addresses by name, in the order of their settings. */
export const usualLimits = new Map<string, Limit>();
for (const limitClass of classNames) {
  const { by, limit, verbs = {} } = rowOf(limitClass);
  for (const [verb, points] of Object.entries(verbs)) costs.set(verb, { limitClass, points });
  const [one, other] = limit.split(",").map(parseLimit) as [Limit, Limit?];
  usualLimits.set(`${limitClass}:${by === "address" && !other ? "address" : "account"}`, one);
  if (other !== undefined) usualLimits.set(`${limitClass}:address`, other);
}

export function costOf(verb: CountedVerb): Cost {
  return costs.get(verb) as Cost;
}

/** Undefined unless the text is as "300/3h": a number, and a time of at most a day. */
export function parseLimit(text: string): Limit | undefined {
  const [, points, count, unit = ""] =
    /^\s*(\d{1,10})\s*\/\s*(\d{0,6})\s*([smhd])\s*$/.exec(text) ?? [];
  if (points === undefined || count === undefined) return undefined;
  const units: Record<string, number> = { s: 1, m: 60, h: 3600, d: 86_400 };
  const seconds = (count === "" ? 1 : Number(count)) * (units[unit] ?? 0);
  const limit = { points: Number(points), seconds };
  const isAllowed = limit.points >= 1 && limit.points <= 1_000_000_000;
  return isAllowed && seconds >= 1 && seconds <= 86_400 ? limit : undefined;
}

/** What the operator or a test has changed. */
interface LimitConfig {
  /** By name, before the unit. A number changes the points only. */
  limits: Readonly<Record<string, number | Limit>>;
  limitFactor: number;
  /** Points of an account on its first day, as a share of all. */
  firstDayShare: number;
}

/** Min of an account on its first day. */
const leastPoints = 3;
/** New accounts at one address have together the points of this many older accounts. */
const newcomersShare = 2;

/**
 * The limit of a counter. An account on its first day has a share of the points. All such accounts at one address
 * together have the points of two older accounts: so they do not use up those of other users there.
 */
export function limitOf(config: LimitConfig, name: LimitName): Limit {
  const [limitClass = "", holder = ""] = name.split(":");
  const { points, seconds } = figureOf(config, limitClass as LimitClass, holder);
  const { unit = 1, parts = {} } = rowOf(limitClass as LimitClass);
  return { points: Math.round(points * (holder in parts ? 1 : unit)), seconds };
}

/** As a host sets it: before the unit. */
function figureOf(config: LimitConfig, limitClass: LimitClass, holder: string): Limit {
  const name = `${limitClass}:${holder}`;
  const set = config.limits[name];
  if (typeof set === "object") return set;
  const { strict, parts } = rowOf(limitClass);
  const own = usualLimits.get(name);
  if (own !== undefined)
    return { ...own, points: set ?? own.points * (strict ? 1 : config.limitFactor) };
  const account = figureOf(config, limitClass, "account");
  const share = holder === "newAccount" ? config.firstDayShare : newcomersShare;
  const [times, seconds = account.seconds] = parts?.[holder] ?? [share];
  const least = parts?.[holder] === undefined ? leastPoints : 1;
  return { points: set ?? Math.max(least, Math.floor(account.points * times)), seconds };
}
