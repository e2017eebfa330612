import { userId } from "../domain/ids.ts";
import { keys } from "../redis/keys.ts";
import type { Check, Exam } from "./exam.ts";
import { fieldsOf, membersOf, stampOf } from "./lists.ts";

/** A subject with reports is in the queue; a report is in its reporter's list. */
export const reportChecks: Check[] = [
  {
    of: ["openReports"],
    async look(exam, found) {
      for await (const batch of membersOf(exam, found, "subject")) {
        const sizes = await exam.ask<number>(batch.map(({ id }) => ["hlen", keys.reportsOf(id)]));
        for (const [index, member] of batch.entries())
          if (sizes[index] === 0 && !exam.isYoung(stampOf(member))) suspectCase(exam, member.id);
      }
    },
  },
  {
    of: ["reportsOf"],
    async look(exam, found) {
      const waiting = await exam.ask<string | null>(
        found.map(({ parts }) => ["zscore", keys.openReports, parts[0] ?? ""]),
      );
      for (const [index, { parts }] of found.entries())
        if (waiting[index] === null) suspectCase(exam, parts[0] ?? "");
      for await (const batch of fieldsOf(exam, found)) {
        const listed = await exam.ask<string | null>(
          batch.map(({ of, id }) => ["zscore", keys.reportsBy(userId(id)), of.parts[0] ?? ""]),
        );
        for (const [index, { of, id }] of batch.entries())
          if (listed[index] === null) suspectReport(exam, of.parts[0] ?? "", id);
      }
    },
  },
  {
    of: ["reportsBy"],
    async look(exam, found) {
      for await (const batch of membersOf(exam, found, "subject")) {
        const there = await exam.ask<number>(
          batch.map(({ of, id }) => ["hexists", keys.reportsOf(id), of.parts[0] ?? ""]),
        );
        for (const [index, member] of batch.entries())
          if (there[index] === 0 && !exam.isYoung(stampOf(member)))
            suspectReport(exam, member.id, member.of.parts[0] ?? "");
      }
    },
  },
];

function suspectCase(exam: Exam, subject: string): void {
  const { redis } = exam.ctx;
  const reports = keys.reportsOf(subject);
  exam.suspect({
    kind: "report-queue",
    key: keys.openReports,
    member: subject,
    async look() {
      const [since, size] = await Promise.all([
        redis.zscore(keys.openReports, subject),
        redis.hlen(reports),
      ]);
      if ((since === null) === (size === 0)) return undefined;
      return since === null ? `lacks ${subject}, which is reported` : `has ${subject} for nothing`;
    },
    repair: "let a subject wait exactly while there are reports of it",
    async mend() {
      const oldest = Math.min(...Object.values(await redis.hgetall(reports)).map(stampIn));
      if (oldest !== Infinity) await redis.zadd(keys.openReports, "NX", oldest, subject);
      else await redis.zrem(keys.openReports, subject);
      // It may just be reported: the report is written before the queue.
      if (oldest === Infinity && (await redis.hlen(reports)) > 0)
        await redis.zadd(keys.openReports, "NX", exam.ctx.now() * 1000, subject);
    },
  });
}

function suspectReport(exam: Exam, subject: string, reporter: string): void {
  const { redis } = exam.ctx;
  const own = keys.reportsBy(userId(reporter));
  exam.suspect({
    kind: "report-mirror",
    key: own,
    member: subject,
    jobs: [`erase ${reporter}`],
    async look() {
      const [listed, report] = await Promise.all([
        redis.zscore(own, subject),
        redis.hget(keys.reportsOf(subject), reporter),
      ]);
      if ((listed === null) === (report === null)) return undefined;
      return listed === null ? `lacks ${subject}` : `has ${subject}, which is not reported by it`;
    },
    repair: "make the reporter's list agree with the reports",
    async mend() {
      const report = await redis.hget(keys.reportsOf(subject), reporter);
      if (report === null) await redis.zrem(own, subject);
      else await redis.zadd(own, "NX", stampIn(report), subject);
    },
  });
}

function stampIn(report: string): number {
  try {
    return (JSON.parse(report) as { stamp: number }).stamp;
  } catch {
    return 0;
  }
}
