import { daysUntil, type MeasuredDay } from "../../../domain/site/growth.ts";
import { type SiteNumbers, sum } from "../../../domain/site/numbers.ts";
import type { User } from "../../../domain/users/store.ts";
import type { Translator } from "../../languages/translator.ts";
import { presentShortDay } from "../../layout/time.ts";

/** Of a chart; a page stretches it. */
const [width, height] = [600, 80];
/** Months. What is further away is not in sight. */
const inSight = 60;

/** What fills the site and how fast; undefined before the first day was measured. */
export function presentGrowth(
  words: Translator,
  site: SiteNumbers,
  days: MeasuredDay[],
  accounts: ReadonlyMap<string, User>,
) {
  const [first, last] = [days[0], days.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  const bytes = (size: number) => words.size(size);
  const count = (number: number) => words.number(number);
  const chart = (name: "memory" | "disk" | "people" | "tweets", show = count, limit = Infinity) => {
    const figures = days.flatMap((one) => one[name] ?? []);
    const most = Math.max(...figures, 1);
    const points = figures.map((figure, at) => {
      const x = (at / Math.max(figures.length - 1, 1)) * width;
      return `${Math.round(x)},${Math.round(height - 1 - (figure / most) * (height - 2))}`;
    });
    const months = Math.floor((daysUntil(limit, figures) ?? Infinity) / 30);
    return {
      name,
      points: points.join(" "),
      from: show(figures[0] ?? 0),
      to: show(figures.at(-1) ?? 0),
      full: months > inSight ? undefined : { ...words.counted(months), isSoon: months < 3 },
    };
  };
  const kinds = Object.entries(last.kinds).toSorted(([, one], [, other]) => other - one);
  const share = new Intl.NumberFormat(words.language, { style: "percent" });
  const all = sum(kinds, ([, size]) => size);
  return {
    from: presentShortDay(words, new Date(first.day)),
    to: presentShortDay(words, new Date(last.day)),
    charts: [
      chart("memory", bytes, site.memory.maxBytes),
      chart("disk", bytes, site.disk?.totalBytes),
      chart("people"),
      chart("tweets"),
    ].filter(({ points }) => points !== ""),
    kinds: [
      ...kinds.map(([kind, size]) => ({ kind, size, share: share.format(size / all) })),
      { kind: "data", size: site.fileBytes ?? 0 },
      { kind: "pictures", size: last.pictures },
    ],
    largest: last.largest.flatMap(({ id, ...one }) => {
      const { name } = accounts.get(id) ?? {};
      return name === undefined ? [] : { name, ...one };
    }),
  };
}
