import { setTimeout as sleep } from "node:timers/promises";
import { createUser } from "../../src/domain/users/sign-up.ts";
import { Crowd } from "../bench/crowd.ts";
import { sessionOf } from "../bench/session.ts";
import { inLanes } from "../drill/lab/lanes.ts";
import type { DayClock } from "./clock.ts";
import { spendEvening } from "./evening.ts";
import { addressOf } from "./identities.ts";
import { Meter } from "./meter.ts";
import { People, type Scene } from "./people.ts";
import { outage, returnWithin, type Step } from "./plan.ts";
import { SiteProcess } from "./processes.ts";
import { untilQuiet } from "./quiet.ts";
import { day, hour } from "./rhythm.ts";
import { Spammer } from "./spammer.ts";
import { isActive } from "./town.ts";

/** Real milliseconds of a tick, between two looks at the queues, and max for the last tweets that are looked for. */
const pauses = { tick: 20, look: 200, arrivals: 20_000 };
/** No step begins, and the clock waits, while so many others are under way, or so many tweets wait for their delivery. */
const most = { running: 12, waiting: 50 };
/** One would leave the second core to the worker and Redis, which need half of it. */
const webProcesses = 2;
/** One of so many people has an app that listens to a stream all day. */
const listenersOf = 600;

/** A day as it is played: the processes, the clock, and the steps that are under way. */
export class Play {
  readonly #scene: Scene;
  readonly #clock: DayClock;
  readonly #people: People;
  readonly #running = new Set<Promise<void>>();
  /** Those who came while the site was down. */
  readonly #foundClosed = new Map<number, Step>();
  #steps: Step[];
  /** The first of them that has not begun. */
  #next = 0;
  /** None while the site is down. */
  #webs: SiteProcess[] = [];
  #worker: SiteProcess | undefined;
  #meter: Meter | undefined;
  #spammer: Promise<Spammer> | undefined;
  #crowd: Crowd | undefined;
  #waiting = 0;

  constructor(scene: Scene, clock: DayClock, steps: Step[]) {
    this.#scene = scene;
    this.#clock = clock;
    this.#people = new People(scene);
    this.#steps = steps;
  }

  async open(): Promise<void> {
    const { lab, ids, tally } = this.#scene;
    const worker = await SiteProcess.start("worker", lab, this.#clock);
    this.#worker = worker;
    await this.#openWeb();
    await spendEvening(this.#scene, this.#clock.start);
    await untilQuiet(this.#scene);
    this.#crowd?.takeHeard();
    const active = ids.filter((_, person) => isActive(person));
    const about = { redis: lab.ctx.redis, worker, active, clock: this.#clock, tally };
    this.#meter = new Meter({ ...about, webs: () => this.#webs });
    await this.#meter.begin();
  }

  /** Plays all steps. Returns the hour in which the time was over, if the day did not end before. */
  async run(ended: AbortSignal): Promise<number | undefined> {
    let measured = 0;
    let looked = 0;
    while (this.#clock.passed < day) {
      if (ended.aborted) return Math.floor(this.#clock.passed / hour);
      this.#clock.advance(this.#isBehind());
      const now = this.#clock.now();
      for (const one of [...this.#webs, this.#worker]) one?.tell({ now });
      if (performance.now() - looked > pauses.look) {
        looked = performance.now();
        this.#waiting = await this.#countWaiting();
      }
      for (; measured < Math.floor(this.#clock.passed / hour); measured += 1)
        await this.#measure(measured);
      await this.#beDown();
      this.#begin();
      await sleep(pauses.tick);
    }
    return undefined;
  }

  /** Until all tweets are delivered and found, and nearly all chores have run. */
  async finish(): Promise<void> {
    const { arrivals } = this.#scene;
    await Promise.all(this.#running);
    await untilQuiet(this.#scene);
    const began = performance.now();
    while (!arrivals.isEmpty && performance.now() - began < pauses.arrivals) await sleep(20);
    await this.#meter?.countDeliveries(23);
    await this.#meter?.note(23);
  }

  async close(): Promise<void> {
    this.#crowd?.leave();
    await Promise.all(this.#running);
    await Promise.all([...this.#webs, this.#worker].map(async (one) => await one?.stop()));
  }

  async #measure(nth: number): Promise<void> {
    this.#hear();
    // The last hour ends with the last delivery.
    if (nth < 23) await this.#meter?.note(nth);
    if (nth > 0) await this.#meter?.countDeliveries(nth - 1);
    const { lab, tally, town } = this.#scene;
    lab.say(
      `${town.people} people, ${nth + 1}:00: ${tally.counts("pages")[nth]} pages, ${tally.counts("tweets")[nth]} tweets, waited ${(this.#clock.waited / 1000).toFixed(0)} s`,
    );
  }

  #isBehind(): boolean {
    const isDue = (this.#steps[this.#next]?.at ?? day) < this.#clock.passed;
    return isDue || this.#waiting > most.waiting;
  }

  /** Begins the steps whose time has come, not too many at once. */
  #begin(): void {
    for (; this.#next < this.#steps.length; this.#next += 1) {
      const step = this.#steps[this.#next] as Step;
      if (step.at > this.#clock.passed || this.#running.size >= most.running) break;
      const work: Promise<void> = this.#act(step)
        .catch((error: unknown) => this.#fail(step, error))
        .finally(() => this.#running.delete(work));
      this.#running.add(work);
    }
  }

  async #act(step: Step): Promise<void> {
    if (this.#webs.length === 0) this.#findClosed(step);
    else if (step.kind === "spam") {
      this.#spammer ??= this.#signUpSpammer();
      await (await this.#spammer).act(step, this.#people.lastSeen);
    } else await this.#people[step.kind](step);
  }

  #fail(step: Step, error: unknown): void {
    if (this.#webs.length === 0) this.#findClosed(step);
    else this.#scene.tally.fail(error);
  }

  #findClosed(step: Step): void {
    this.#scene.tally.count("found closed");
    if (step.kind === "visit" || step.kind === "post") this.#foundClosed.set(step.person, step);
  }

  async #signUpSpammer(): Promise<Spammer> {
    const { lab, browser, tally, town } = this.#scene;
    const account = { name: "cheap_seeds", fullname: "Cheap Seeds", pass: "" };
    const user = await createUser(lab.ctx, account);
    const cookie = await sessionOf(lab, user);
    const identity = { cookie, ...addressOf(town.people + 1) };
    return new Spammer(browser, tally, identity, town.people);
  }

  /** The web processes are killed, and started anew later; those who found the site closed return soon after. */
  async #beDown(): Promise<void> {
    const isDown = this.#clock.passed >= outage.from && this.#clock.passed < outage.until;
    if (isDown && this.#webs.length > 0) {
      await this.#meter?.note(Math.floor(this.#clock.passed / hour));
      this.#hear();
      this.#crowd?.leave();
      await Promise.all(this.#webs.splice(0).map((web) => web.kill()));
    } else if (!isDown && this.#webs.length === 0) {
      await this.#openWeb();
      await this.#meter?.beginWeb();
      const returning = [...this.#foundClosed.values()].map((step): Step => {
        return { ...step, kind: "visit", at: this.#clock.passed + step.luck * returnWithin };
      });
      this.#scene.tally.count("came back", returning.length);
      const rest = [...this.#steps.slice(this.#next), ...returning];
      this.#steps = rest.toSorted((one, other) => one.at - other.at);
      this.#next = 0;
    }
  }

  async #openWeb(): Promise<void> {
    const { lab, browser, identities, town, tally } = this.#scene;
    const starting = Array.from({ length: webProcesses }, () =>
      SiteProcess.start("web", lab, this.#clock),
    );
    this.#webs = await Promise.all(starting);
    browser.urls = this.#webs.map(({ url }) => url);
    const [url = ""] = browser.urls;
    const crowd = new Crowd({ url, stop: async () => {} }, "update");
    this.#crowd = crowd;
    const listeners = Array.from(
      { length: Math.ceil(town.people / listenersOf) },
      (_, nth) => 3 * nth,
    );
    await inLanes(listeners, 8, async (person) => {
      const token = await identities.token(person);
      await crowd.join("/api/v1/streaming/user", token).catch((error) => tally.fail(error));
    });
  }

  #hear(): void {
    this.#scene.tally.count("streamed", this.#crowd?.takeHeard() ?? 0);
  }

  /** Tweets whose delivery has not begun. */
  async #countWaiting(): Promise<number> {
    const delivering = this.#scene.queues
      .all()
      .filter(({ name }) => /^(deliver|spread)$/.test(name));
    const counts = await Promise.all(delivering.map((queue) => queue.getWaitingCount()));
    return counts.reduce((sum, count) => sum + count, 0);
  }
}
