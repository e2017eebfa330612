import * as fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type UserId, userId } from "../../../src/domain/ids.ts";
import { pageSize } from "../../../src/domain/page.ts";
import { indexPerson } from "../../../src/domain/search/index-person.ts";
import { searchPeople } from "../../../src/domain/search/find-people.ts";
import { editProfile } from "../../../src/domain/users/settings.ts";
import { createUser } from "../../../src/domain/users/sign-up.ts";
import { findUser, type User } from "../../../src/domain/users/store.ts";
import { keys } from "../../../src/redis/keys.ts";
import { createWorld, type World } from "../../support/world/world.ts";
import { findKeys } from "../../support/world/redis-nodes.ts";
import { removeKeys } from "../../support/world/test-redis.ts";
import { runs } from "../../support/models/property-runs.ts";

let made = 0;
const letters = fc.string({ unit: fc.constantFrom("a", "b", "c"), minLength: 1, maxLength: 3 });
const japanese = fc.string({ unit: fc.constantFrom("山", "田", "あ"), minLength: 1, maxLength: 3 });
const fullnames = fc
  .array(fc.oneof(letters, japanese), { minLength: 1, maxLength: 3 })
  .map((words) => words.join(" "));

/** Between these characters a space means nothing. */
const joined = (text: string) => text.replaceAll(/(?<=[山田あ]) (?=[山田あ])/g, "");

describe("the search for people", () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
  });
  beforeEach(async () => {
    const known = await findKeys(world.ctx.redis, "people:*");
    await removeKeys(world.ctx.redis, ...known);
  });
  afterAll(() => world.close());

  async function signUp(name: string, fullname: string): Promise<UserId> {
    const id = await createUser(world.ctx, { name, fullname, pass: "none" });
    await indexPerson(world.ctx, id);
    return id;
  }

  async function rename(id: UserId, fullname: string): Promise<void> {
    const user = (await findUser(world.ctx, id)) as User;
    await editProfile(world.ctx, user, { fullname, bio: "", website: "" });
    await indexPerson(world.ctx, id);
  }

  /** Names, page by page to the end. */
  async function find(typed: string): Promise<string[]> {
    const names: string[] = [];
    let after: string | undefined;
    do {
      const page = await searchPeople(world.ctx, undefined, typed, after);
      names.push(...page.people.map(({ name }) => name));
      after = page.next;
    } while (after !== undefined);
    return names;
  }

  it("people are found by the beginning of their name or of any word of their full name", async () => {
    await signUp("Tanaka_99", "田中 花子");
    await signUp("smithy", "Anne-Marie O'Smith");
    await signUp("other", "Somebody Else");
    await signUp("tanaka_kenta", "田中健太");
    await signUp("jose", "José Ångström");
    for (const [typed, names] of [
      ["tan", ["Tanaka_99", "tanaka_kenta"]],
      ["kenta", ["tanaka_kenta"]],
      ["anaka", []],
      ["健太", ["tanaka_kenta"]],
      ["中健", ["tanaka_kenta"]],
      ["太", ["tanaka_kenta"]],
      ["田中健太", ["tanaka_kenta"]],
      ["田中 健太", ["tanaka_kenta"]],
      ["田中花子", ["Tanaka_99"]],
      ["jose angs", ["jose"]],
      ["JOSÉ", ["jose"]],
      ["@TANAKA_99", ["Tanaka_99"]],
      ["田", ["Tanaka_99", "tanaka_kenta"]],
      ["花子", ["Tanaka_99"]],
      ["田中 花", ["Tanaka_99"]],
      ["smith", ["smithy"]],
      ["ＡＮＮＥ", ["smithy"]],
      ["anne marie o's", ["smithy"]],
      ["ob", []],
      ["中", ["Tanaka_99", "tanaka_kenta"]],
      ["", []],
      ["🐦", []],
      ["s", ["smithy", "other"]],
    ] as const)
      expect([typed, (await find(typed)).toSorted()]).toEqual([typed, names.toSorted()]);
  });

  it("people are found as in a scan of all users, whatever their former names", async () => {
    const one = fc.record({ fullname: fullnames, later: fc.option(fullnames), gone: fc.nat(5) });
    const prefixes = fc.array(fc.oneof(letters, japanese, fullnames), {
      minLength: 3,
      maxLength: 5,
    });
    await fc.assert(
      fc.asyncProperty(fc.array(one, { maxLength: 15 }), prefixes, async (people, typed) => {
        const before = await findKeys(world.ctx.redis, "people:*");
        if (before.length > 0) await removeKeys(world.ctx.redis, ...before);
        const expected = new Map<string, string>();
        let left = 0;
        for (const { fullname, later, gone } of people) {
          made += 1;
          const name = `${"abc"[made % 3]}${made}`;
          const id = await signUp(name, fullname);
          if (later !== null) await rename(id, later);
          await indexPerson(world.ctx, id);
          if (gone === 0) {
            await removeKeys(world.ctx.redis, keys.user(id), keys.username(name));
            await indexPerson(world.ctx, id);
            left += await world.ctx.redis.exists(keys.indexedPerson(id));
          } else expected.set(name, later ?? fullname);
        }
        expect(left).toBe(0);
        for (const prefix of typed) {
          const names = [...expected].filter(([name, fullname]) => {
            const shown = joined(fullname);
            const starts = [...shown].flatMap((letter, at) =>
              at === 0 || shown[at - 1] === " " || /[山田あ]/.test(letter) ? [shown.slice(at)] : [],
            );
            return [name, ...starts].some((start) => start.startsWith(joined(prefix)));
          });
          expect((await find(prefix)).toSorted()).toEqual(names.map(([name]) => name).toSorted());
        }
      }),
      runs(30),
    );
  });

  it("people are paged to the end, alphabetically, each once", async () => {
    const names: string[] = [];
    for (let nth = 0; nth < 2 * pageSize + 3; nth += 1) {
      const name = `pager${String(nth).padStart(4, "0")}`;
      await signUp(name, `Pager Pagerson ${nth}`);
      names.push(name);
    }
    const first = await searchPeople(world.ctx, undefined, "pager", undefined);
    expect(first.people).toHaveLength(pageSize);
    expect((await find("pager")).toSorted()).toEqual(names);
    expect(await find("pager0")).toEqual(names);
    const elsewhere = await searchPeople(world.ctx, undefined, "pager0", "nonsense");
    expect(elsewhere.people.map(({ name }) => name)).toEqual(names.slice(0, pageSize));
  });

  it("a user whose sign-up was never committed is not found", async () => {
    const id = userId(await world.ctx.redis.incr(keys.userIds));
    await world.ctx.redis.hset(keys.user(id), { name: "ghost", fullname: "Ghost", created_at: 1 });
    await world.ctx.redis.set(keys.username("ghost"), `claimed:${id}`, "EX", 60);
    await indexPerson(world.ctx, id);
    expect(await find("ghost")).toEqual([]);
    await world.ctx.redis.claimCommit(keys.username("ghost"), `claimed:${id}`, id);
    await indexPerson(world.ctx, id);
    expect(await find("ghost")).toEqual(["ghost"]);
  });

  it("the people index agrees with the last change, although jobs run at the same time", async () => {
    const id = await signUp("racer", "Start");
    const user = (await findUser(world.ctx, id)) as User;
    for (let round = 0; round < 10; round += 1) {
      const work = ["Alpha", "Beta", "Gamma"].map(async (word) => {
        await editProfile(world.ctx, user, { fullname: `${word} ${round}`, bio: "", website: "" });
        await indexPerson(world.ctx, id);
      });
      await Promise.all(work);
      const { fullname } = (await findUser(world.ctx, id)) as User;
      const found = await Promise.all(["alpha", "beta", "gamma"].map((word) => find(word)));
      const expected = ["Alpha", "Beta", "Gamma"].map((word) =>
        fullname.startsWith(word) ? ["racer"] : [],
      );
      expect(found).toEqual(expected);
    }
    const entries = await world.ctx.redis.zrange(keys.searchPeople("b"), 0, "-1");
    const { fullname } = (await findUser(world.ctx, id)) as User;
    expect(entries).toHaveLength(fullname.startsWith("Beta") ? 1 : 0);
  });
});
