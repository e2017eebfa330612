import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Queue } from "bullmq";
import { sources } from "../../../test/support/actors/composer.ts";
import { picture } from "../../../test/support/data/pictures.ts";
import { Answers } from "./answers.ts";
import { addressOf, Browser, type Door } from "./browser.ts";
import { type Person, password } from "./inside.ts";
import type { Lab } from "./lab.ts";
import { readToEnd, tweetsOn } from "./pages.ts";

/** Milliseconds that a tweet may wait for its picture: the job may wait for four seconds after an outage. */
const longest = 9000;
/** One of so many acts deletes a tweet; as many look at a picture. */
const deleteEvery = 6;
const lookEvery = 2;

/** Whether a tweet of this text is one of theirs. */
export function isPainted(text: string): boolean {
  return text.startsWith("paint ");
}

/** Takes away the jobs that look at each upload a day later. */
export async function withoutTomorrow(chores: Queue): Promise<void> {
  for (const job of await chores.getDelayed())
    if (job.name === "reconcile-upload") await job.remove().catch(() => {});
}

/** A user who posts tweets with a picture each, sends refused ones again, looks at pictures and deletes some. */
export class Painter {
  /** Texts of tweets that were acknowledged and not deleted. */
  readonly acknowledged = new Set<string>();
  readonly removedFiles: string[] = [];
  /** Forms that came back with 503. */
  refused = 0;
  readonly #deleted = new Set<string>();
  readonly #person: Person;
  readonly #lab: Lab;
  readonly #browser: Browser;
  #png: Buffer = Buffer.alloc(0);
  #count = 0;
  #acts = 0;
  #isOver = false;
  readonly #isPatient: boolean;
  /** A form that has not been accepted yet. */
  #form: { text: string; nonce: string } | undefined;

  /**
   * `address`: the number of an address of its own. One that is patient sends again what has no answer: where time is
   * not the question.
   */
  constructor(
    lab: Lab,
    door: Door,
    person: Person,
    address: number,
    { isPatient = false }: { isPatient?: boolean } = {},
  ) {
    const answers = new Answers(lab.report);
    answers.limit = isPatient ? Infinity : longest;
    if (isPatient) answers.tolerated.add("silent");
    this.#isPatient = isPatient;
    this.#lab = lab;
    this.#person = person;
    this.#browser = new Browser(door, answers, addressOf(address));
    lab.onClose(() => this.#browser.close());
  }

  async begin(): Promise<void> {
    this.#png = await picture("png", { width: 300, height: 200 });
  }

  async paint(pause: number): Promise<void> {
    while (!this.#isOver && !this.#lab.ended.aborted) {
      this.#acts += 1;
      await this.#post();
      if (this.#acts % lookEvery === 0) await this.#look();
      if (this.#acts % deleteEvery === 0) await this.#delete();
      await sleep(pause, undefined, { signal: this.#lab.ended }).catch(() => {});
    }
  }

  stop(): void {
    this.#isOver = true;
  }

  /** The storage is there again: the last form is accepted in this time. */
  async finish(milliseconds: number): Promise<void> {
    const end = performance.now() + milliseconds;
    do await this.#post();
    while (this.#form !== undefined && performance.now() < end);
    this.#expect(this.#form === undefined, "a tweet with a picture is refused for too long");
  }

  /** Each acknowledged tweet is there once, with its picture; no deleted one is. */
  async check(): Promise<void> {
    const { name } = this.#person;
    const tweets = await readToEnd(this.#browser, `/@${name}/replies`, tweetsOn);
    const counts = new Map<string, number>();
    for (const { text, isRetweet, tweet } of tweets) {
      if (!isPainted(text) || isRetweet) continue;
      counts.set(text, (counts.get(text) ?? 0) + 1);
      const [address] = await this.#addressesOf(tweet);
      const { status } = await this.#browser.get(address ?? "/pictures/none");
      this.#expect(status === 200, "a picture is not there", `${text}: ${status}`);
    }
    for (const [text, count] of counts) {
      this.#expect(count === 1, "a tweet with a picture is there twice", text);
      this.#expect(!this.#deleted.has(text), "a deleted tweet with a picture is there", text);
    }
    for (const text of this.acknowledged)
      if (!counts.has(text))
        this.#lab.report.isLost(Date.now(), "a tweet with a picture is lost", text);
  }

  async #post(): Promise<void> {
    if (this.#browser.viewer === undefined) await this.#browser.logIn(this.#person.name, password);
    this.#form ??= {
      text: `paint ${this.#person.name} ${(this.#count += 1)}`,
      nonce: randomUUID(),
    };
    const typed = { ...this.#form, warning: "wet paint", description_1: "a wren" };
    const { status, location, body } = await this.#browser.postFiles("/tweets", typed, {
      pictures: this.#png,
    });
    if (location.startsWith("/login") || this.#isUnanswered(status)) return;
    if (status === 303) {
      this.acknowledged.add(typed.text);
      this.#form = undefined;
      return;
    }
    // 422: the picture was not converted in time, and is kept with the form.
    this.#expect(
      status === 503 || status === 422,
      "an unexpected answer to a form",
      String(status),
    );
    if (status === 503) this.refused += 1;
    for (const value of [typed.text, typed.warning, typed.description_1])
      this.#expect(
        body.includes(value),
        "a form did not come back as typed",
        `${status}: ${value}`,
      );
  }

  /** At a picture of their newest tweets. */
  async #look(): Promise<void> {
    const { body } = await this.#browser.get(`/@${this.#person.name}`);
    const addresses = sources(body);
    const address = addresses[this.#acts % addresses.length];
    if (address === undefined) return;
    const { status } = await this.#browser.get(address);
    const isThere = status === 200 || status === 503 || this.#isUnanswered(status);
    this.#expect(isThere, "a picture is not there", String(status));
  }

  async #delete(): Promise<void> {
    const { body } = await this.#browser.get(`/@${this.#person.name}`);
    const own = tweetsOn(body).find(
      ({ text, isRetweet }) => this.acknowledged.has(text) && !isRetweet,
    );
    if (own === undefined) return;
    const addresses = await this.#addressesOf(own.tweet);
    const { status } = await this.#browser.post(`/tweets/${own.tweet}/delete`);
    this.acknowledged.delete(own.text);
    // It may be deleted or not.
    if (this.#isPatient && status !== 303) return;
    this.#expect(status === 303, "a tweet with a picture could not be deleted", String(status));
    this.#deleted.add(own.text);
    this.removedFiles.push(...addresses.map((address) => address.slice("/pictures/".length)));
  }

  #isUnanswered(status: number | string): boolean {
    return this.#isPatient && status === "silent";
  }

  async #addressesOf(tweet: string): Promise<string[]> {
    return sources((await this.#browser.get(`/tweets/${tweet}`)).body);
  }

  #expect(holds: boolean, kind: string, detail = ""): void {
    this.#lab.report.expect(holds, kind, detail);
  }
}
