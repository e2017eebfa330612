import type { Checkup } from "../../domain/site/checkup.ts";
import type { SiteNumbers } from "../../domain/site/numbers.ts";
import type { Translator } from "../languages/translator.ts";
import { presentMoment, presentShortDay } from "./time.ts";

/** The week of the site, a row for each day. */
export function presentWeek(words: Translator, { week }: SiteNumbers) {
  return {
    around: words.t("numbers.around", words.counted(week.people)),
    days: week.days.map(({ day, ...numbers }) => ({
      day,
      name: presentShortDay(words, new Date(`${day}T00:00:00Z`)),
      signUps: words.number(numbers["sign-ups"]),
      people: words.number(numbers.people),
      tweets: words.number(numbers.tweets),
      reports: words.number(numbers.reports),
    })),
  };
}

/** State of jobs, memory, disk and data, as name and value. */
export function presentState(words: Translator, numbers: SiteNumbers) {
  const { memory, fileBytes, disk, checkup } = numbers;
  const size = (bytes: number) => sizeOf(words, bytes);
  const used = size(memory.usedBytes);
  return [
    row(words.t("numbers.total"), [
      words.t("numbers.accountsSoFar", words.counted(numbers.accounts)),
      words.t("numbers.tweetsSoFar", words.counted(numbers.tweets)),
    ]),
    row(
      words.t("numbers.jobs"),
      [
        words.t("numbers.failed", words.counted(numbers.failedJobs)),
        words.t("numbers.waiting", words.counted(numbers.waitingJobs)),
      ],
      numbers.failedJobs > 0,
    ),
    row(
      words.t("numbers.memory"),
      [
        memory.maxBytes === undefined
          ? used
          : words.t("numbers.of", { used, total: size(memory.maxBytes) }),
      ],
      memory.maxBytes !== undefined && memory.usedBytes > 0.9 * memory.maxBytes,
    ),
    ...(fileBytes === undefined ? [] : [row(words.t("numbers.data"), [size(fileBytes)])]),
    ...(disk === undefined
      ? []
      : [
          row(
            words.t("numbers.disk"),
            [words.t("numbers.free", { free: size(disk.freeBytes), total: size(disk.totalBytes) })],
            disk.freeBytes < 0.1 * disk.totalBytes,
          ),
        ]),
    checkup === undefined
      ? row(words.t("numbers.doctor"), [words.t("numbers.doctorNever")])
      : row(
          words.t("numbers.doctor"),
          [wordOf(words, checkup), presentMoment(words, checkup.at * 1000)],
          checkup.left > 0,
        ),
  ];
}

function wordOf(words: Translator, { findings, left }: Checkup): string {
  if (left > 0) return words.t("numbers.foundLeft", words.counted(left));
  return words.t(findings > 0 ? "numbers.foundRepaired" : "numbers.foundNothing");
}

type Value = string | ReturnType<typeof presentMoment>;

/** `isBad`: an admin should act. */
function row(name: string, values: Value[], isBad = false) {
  return { name, values, isBad };
}

/** "12.3 MB", "1.2 GB". */
function sizeOf(words: Translator, bytes: number): string {
  const format = new Intl.NumberFormat(words.language, { maximumFractionDigits: 1 });
  const isLarge = bytes >= 1e9;
  const size = format.format(bytes / (isLarge ? 1e9 : 1e6));
  return words.t(isLarge ? "numbers.gigabytes" : "numbers.megabytes", { size });
}
