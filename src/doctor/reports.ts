import { userId } from "../domain/ids.ts";
import { keys } from "../redis/keys.ts";
import { parseObject } from "./items.ts";
import { eachKey, keyCheck } from "./run.ts";

/** A subject with reports is in the queue. */
export const reportedSubjects = eachKey({
  of: ["reportsOf"],
  read: async ({ ctx: { redis } }, item) => {
    const subject = item.name === "openReports" ? item.id : item.owner;
    const [since, size] = await Promise.all([
      redis.zscore(keys.openReports, subject),
      redis.hlen(keys.reportsOf(subject)),
    ]);
    return { ...item, subject, since, size };
  },
  place: ({ subject: id }) => ({ key: keys.openReports, id }),
  faults: {
    "report-queue": {
      detail({ subject, since, size }, run) {
        if ((since === null) === (size === 0) || run.isYoung(since)) return undefined;
        return since === null
          ? `lacks ${subject}, which is reported`
          : `has ${subject} for nothing`;
      },
      how: "let a subject wait exactly while there are reports of it",
      async repair({ ctx: { redis } }, { subject, size }) {
        if (size === 0) await redis.zrem(keys.openReports, subject);
        const stored = Object.values(await redis.hgetall(keys.reportsOf(subject)));
        // It may just be reported: the report is written before the queue.
        if (stored.length > 0)
          await redis.zadd(keys.openReports, "NX", Math.min(...stored.map(stampIn)), subject);
      },
    },
  },
});

/** A subject in the queue has reports. */
export const openSubjects = keyCheck({ ...reportedSubjects, of: ["openReports"], each: "member" });

/** A report is in its reporter's list, and each entry of that list has a report. */
export const reports = eachKey({
  of: ["reportsOf", "reportsBy"],
  each: "member",
  read: async ({ ctx: { redis } }, member) => {
    const { name, owner, id } = member;
    const [subject, by] = name === "reportsOf" ? [owner, id] : [id, owner];
    const reporter = userId(by);
    const [listed, report] = await Promise.all([
      redis.zscore(keys.reportsBy(reporter), subject),
      redis.hget(keys.reportsOf(subject), reporter),
    ]);
    return { ...member, subject, reporter, listed, report };
  },
  place: ({ subject: id, reporter }) => ({ key: keys.reportsBy(reporter), id }),
  faults: {
    "report-mirror": {
      detail({ subject, listed, report }, run) {
        if ((listed === null) === (report === null) || run.isYoung(listed)) return undefined;
        return listed === null ? `lacks ${subject}` : `has ${subject}, which is not reported by it`;
      },
      how: "make the reporter's list agree with the reports",
      async repair({ ctx: { redis } }, { subject, reporter, report }) {
        const reportedKey = keys.reportsBy(reporter);
        if (report === null) await redis.zrem(reportedKey, subject);
        else await redis.zadd(reportedKey, "NX", stampIn(report), subject);
      },
    },
  },
});

function stampIn(report: string): number {
  return Number(parseObject(report)["stamp"] ?? 0);
}
