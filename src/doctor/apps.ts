import { parseClientId } from "../domain/ids.ts";
import type { Command } from "../redis/exec.ts";
import { keys } from "../redis/keys.ts";
import type { Check, Exam } from "./exam.ts";
import { fieldsOf, type Member } from "./lists.ts";

/** Every app that a user has allowed exists, without a TTL; every app token belongs to an existing app. */
export const appChecks: Check[] = [
  {
    of: ["tokens"],
    async look(exam, found) {
      for await (const batch of fieldsOf(exam, found, "any")) {
        const lives = await exam.ask<number>(
          batch.map((member): Command => ["ttl", keys.app(parseClientId(appOf(member)) ?? never)]),
        );
        for (const [index, member] of batch.entries())
          if (lives[index] !== -1) suspectToken(exam, member);
      }
    },
  },
  {
    of: ["appTokens"],
    async look(exam, found) {
      const clients = found.map(({ parts }) => parseClientId(parts[0] ?? "") ?? never);
      const there = await exam.ask<number>(clients.map((one) => ["exists", keys.app(one)]));
      for (const [index, client] of clients.entries())
        if (there[index] === 0) suspectTokensOf(exam, client);
    },
  },
  {
    of: ["app"],
    async look(exam, found) {
      const texts = await exam.ask<string | null>(found.map(({ key }) => ["get", key]));
      for (const text of texts) exam.maxIds.sawApp(fieldOf(text ?? "", "id"));
    },
  },
];

/** The id of no app. */
const never = "-".repeat(32) as NonNullable<ReturnType<typeof parseClientId>>;

function appOf({ value }: Member): string {
  return fieldOf(value, "app") ?? "";
}

function fieldOf(text: string, field: string): string | undefined {
  try {
    const found = (JSON.parse(text) as Record<string, unknown>)[field];
    return typeof found === "string" ? found : undefined;
  } catch {
    return undefined;
  }
}

function suspectToken(exam: Exam, member: Member): void {
  const { redis } = exam.ctx;
  const { of, id: field, value } = member;
  const client = parseClientId(appOf(member));
  const app = keys.app(client ?? never);
  exam.suspect({
    kind: "token-app",
    key: of.key,
    member: field,
    jobs: [`erase ${of.parts[0]}`],
    async look() {
      // Using a token changes its text, but not its app.
      if ((await redis.hexists(of.key, field)) === 0) return undefined;
      const life = await redis.ttl(app);
      if (life === -1) return undefined;
      return life === -2 ? `lets in ${app}, which is gone` : `${app} vanishes in ${life} s`;
    },
    repair: "keep the app for good; end the token of one that is gone",
    async mend() {
      await redis.persist(app);
      if ((await redis.exists(app)) === 0) await redis.clearFields(of.key, field, value);
    },
  });
}

function suspectTokensOf(exam: Exam, client: typeof never): void {
  const { redis } = exam.ctx;
  const key = keys.appTokens(client);
  exam.suspect({
    kind: "token-app",
    key,
    async look() {
      const [tokens, app] = await Promise.all([redis.exists(key), redis.exists(keys.app(client))]);
      return tokens === 1 && app === 0 ? "belongs to an app that is gone" : undefined;
    },
    repair: "end the tokens",
    mend: () => redis.unlink(key),
  });
}
