import { classNames, type LimitClass, type LimitName, limitRows } from "./limit-classes.ts";

/** Number of points in a window of time; after it, all of them are restored at once. */
export interface Limit {
  points: number;
  seconds: number;
}

/** Points of a mention or a reply to a user who does not follow the author; to a follower it costs one. */
export const strangerPoints = 10;

/** Limits of accounts and addresses by name, in the order of their settings. */
export const usualLimits = new Map<string, Limit>();
for (const limitClass of classNames) {
  const { by, limit } = limitRows[limitClass];
  const [one, other] = limit.split(",").map(parseLimit) as [Limit, Limit?];
  usualLimits.set(`${limitClass}:${by === "address" && !other ? "address" : "account"}`, one);
  if (other !== undefined) usualLimits.set(`${limitClass}:address`, other);
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
  const { unit = 1, parts = {} } = limitRows[limitClass as LimitClass];
  return { points: Math.round(points * (holder in parts ? 1 : unit)), seconds };
}

/** Limit as a host sets it, before it is multiplied by its unit. */
function figureOf(config: LimitConfig, limitClass: LimitClass, holder: string): Limit {
  const name = `${limitClass}:${holder}`;
  const set = config.limits[name];
  if (typeof set === "object") return set;
  const { strict, parts } = limitRows[limitClass];
  const usual = usualLimits.get(name);
  if (usual !== undefined)
    return { ...usual, points: set ?? usual.points * (strict ? 1 : config.limitFactor) };
  const account = figureOf(config, limitClass, "account");
  const share = holder === "newAccount" ? config.firstDayShare : newcomersShare;
  const [times, seconds = account.seconds] = parts?.[holder] ?? [share];
  const least = parts?.[holder] === undefined ? leastPoints : 1;
  return { points: set ?? Math.max(least, Math.floor(account.points * times)), seconds };
}

const syntax = "a number and a time of at most 1d, as 300/3h or 10/30m (s, m, h or d)";
const ofOne = `must be ${syntax}`;
const ofBoth = `${ofOne}: of one account; after a comma the same of one address`;

/** LIMIT_TWEETS and so on: one for each class. */
const classes: ReadonlyMap<string, LimitClass> = new Map(
  classNames.map((one) => [nameOf(one), one]),
);
export const limitSettingNames: readonly string[] = [...classes.keys()];

/** A share, and not a limit. */
const firstDay = "LIMIT_FIRST_DAY";

/**
 * Former settings, read until version 0.2: their class and their default. A multiple of it is that multiple of the class;
 * of several of one class the last counts.
 */
const former: ReadonlyMap<string, readonly [LimitClass, usual: string]> = new Map([
  ["LIMIT_CHALLENGES", ["reads", "100/15m,300/15m"]],
  ["LIMIT_LOOKUPS", ["reads", "300/5m,300/5m"]],
  ["LIMIT_REQUESTS", ["reads", "300/5m,300/5m"]],
  ["LIMIT_COMPLETIONS", ["searches", "600/5m,300/5m"]],
  ["LIMIT_APPS", ["signUps", "60/1d"]],
  ["LIMIT_SIGN_UP_FORMS", ["signUps", "100/15m"]],
  ["LIMIT_RESCUES", ["logIns", "60/1h"]],
  ["LIMIT_EDITS", ["tweets", "120/1h,600/1h"]],
  ["LIMIT_MENTIONS", ["tweets", "800/1h,4000/1h"]],
  ["LIMIT_RETWEETS", ["reactions", "300/3h,1500/3h"]],
  ["LIMIT_LIKES", ["reactions", "600/1h,3000/1h"]],
  ["LIMIT_NEWCOMER_FIRST_NOTICES", ["notices", "40/1d"]],
  ["LIMIT_NEWCOMER_NOTICES", ["notices", "10/1d"]],
  ["LIMIT_FACTORS", ["changes", "60/1h,300/1h"]],
  ["LIMIT_TOKENS", ["changes", "100/1h,300/15m"]],
  ["LIMIT_PUSHES", ["changes", "120/1h,600/1h"]],
  ["LIMIT_PROFILE", ["changes", "120/1h,600/1h"]],
  ["LIMIT_LISTS", ["changes", "600/1h,3000/1h"]],
  ["LIMIT_BLOCKS", ["changes", "500/1h,2500/1h"]],
  ["LIMIT_DRAWING", ["pictures", "1200/1d"]],
  ["LIMIT_UPLOADS", ["pictures", "150/1h,750/1h"]],
  ["LIMIT_PICTURE_KILOBYTES", ["pictures", "200000/1d,1000000/1d"]],
  ["LIMIT_INVITATIONS", ["mails", "50/1d,200/1d"]],
  ["LIMIT_TERMS", ["imports", "500000/1d"]],
  ["LIMIT_IMPORTED_TWEETS", ["imports", "50000/1d,100000/1d"]],
]);

/** Limits by their names, such as "tweets:account"; complaints about wrong settings, and warnings about former names. */
export function parseLimitSettings(given: Readonly<Record<string, string>>) {
  const limits: Record<string, Limit> = {};
  const complaints: string[] = [];
  const warnings: string[] = [];
  for (const [name, [limitClass, usual]] of former)
    if (name in given) {
      read(name, limitClass, usual.split(",").map(parseLimit));
      warnings.push(`${name} is read in this version only: set ${nameOf(limitClass)} instead`);
    }
  for (const name of Object.keys(given)) {
    const limitClass = classes.get(name);
    if (limitClass !== undefined) read(name, limitClass);
    else if (name.startsWith("LIMIT_") && name !== firstDay && !former.has(name))
      complaints.push(`${name}: there is no such limit`);
  }
  return { limits, complaints, warnings };

  function read(name: string, limitClass: LimitClass, formerLimits?: (Limit | undefined)[]): void {
    const usual = formerLimits ?? limitsOf(limitClass).map(([, own]) => own);
    const text = (given[name] ?? "").replaceAll(/\s+/g, " ");
    const values = text.split(",").map(parseLimit);
    const allowed = usual.length === 1 ? ofOne : ofBoth;
    if (values.includes(undefined) || values.length > usual.length)
      complaints.push(`${name}=${text.slice(0, 100)}: ${allowed}`);
    else
      for (const [nth, [key, own]] of limitsOf(limitClass).entries()) {
        // Without a value of its own, an address keeps its ratio to an account.
        const at = nth < values.length ? nth : 0;
        limits[key] = changed(own, usual[at] as Limit, values[at] as Limit);
      }
  }
}

/** What is to `own` as a value is to its `usual` one, in the window of the value. */
function changed(own: Limit, usual: Limit, { points, seconds }: Limit): Limit {
  const share = (points / usual.points) * (usual.seconds / own.seconds);
  return { points: Math.max(1, Math.round(own.points * share)), seconds };
}

function limitsOf(limitClass: LimitClass): [name: string, limit: Limit][] {
  return [...usualLimits].filter(([name]) => name.startsWith(`${limitClass}:`));
}

function nameOf(limitClass: LimitClass): string {
  return `LIMIT_${limitClass.replaceAll(/[A-Z]/g, "_$&").toUpperCase()}`;
}
