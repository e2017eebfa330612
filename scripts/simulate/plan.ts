import { evenly, paretoOf, randomFrom } from "./random.ts";
import { day, hour, minute, momentOf } from "./rhythm.ts";
import { celebrity, isActive, type Town } from "./town.ts";

/** What a person does at a moment of the day. `return`: the first visit after a month. `luck` decides the rest. */
export interface Step {
  /** Milliseconds from midnight. */
  at: number;
  kind: "visit" | "post" | "poll" | "return" | "spam" | "burst";
  person: number;
  /** From 0 to 1. */
  luck: number;
}

/** The site is down between these moments. */
export const outage = { from: 13 * hour, until: 13 * hour + 40 * minute };
/** After it, those who found it closed return within this time, others who hear of it within three times as much. */
export const returnWithin = 10 * minute;
/** The celebrity's tweet of the day; one in ten of the active followers comes because of it. */
export const bigTweetAt = 20 * hour;
const celebrityTweets = [9 * hour, 16 * hour, bigTweetAt];
const comers = 10;

const visits = { least: 2, steepness: 2, most: 60 };
const posts = { least: 0.8, steepness: 2, most: 40 };
/** One in a hundred active people has an app that asks every quarter of an hour. */
const pollersOf = 300;
const pollEvery = 15 * minute;
/** Of the people who have been away, one in twenty returns. */
const returnersOf = 30;
/** One account that writes to strangers every minute for eight hours. */
export const spam = { from: 10 * hour, until: 18 * hour, every: minute };

export const isPolling = (person: number): boolean => person % pollersOf === 0;

/** All steps of a day, in order; the same for the same town and seed. */
export function planDay(town: Town, seed: number): Step[] {
  const random = randomFrom(seed + 1);
  const shift = random();
  const steps: Step[] = [];
  const add = (kind: Step["kind"], person: number, at: number) => {
    if (at < day) steps.push({ at, kind, person, luck: evenly(steps.length, shift) });
  };
  for (let person = 0; person < town.people; person += 1) {
    if (!isActive(person)) {
      if (person % returnersOf === 1)
        add("return", person, outage.until + random() * 3 * returnWithin);
      continue;
    }
    const [more, wordy] = [evenly(person, shift), evenly(person, shift + 0.5)];
    for (let left = paretoOf(more, visits); left > 0; left -= 1)
      add("visit", person, momentOf(random()));
    if (person !== celebrity)
      for (let left = paretoOf(wordy, posts); left > 0; left -= 1)
        add("post", person, momentOf(random()));
    if (isPolling(person))
      for (let at = random() * pollEvery; at < day; at += pollEvery) add("poll", person, at);
  }
  for (const at of celebrityTweets) add("post", celebrity, at);
  for (const [person, followed] of town.followings.entries())
    if (isActive(person) && followed.includes(celebrity) && random() * comers < 1)
      add("burst", person, bigTweetAt - Math.log(1 - random()) * 6 * minute);
  for (let at = spam.from; at < spam.until; at += spam.every) add("spam", -1, at);
  return steps.toSorted((one, other) => one.at - other.at);
}

/** Tweets of the largest site that are followed to the last home timeline, if there are so many; at least a tenth. */
const watched = 2000;
/** Active people, each of whom writes about one tweet. */
const writersOf = 3;

/** The share of watched tweets. It is that of the largest site in all sizes: such a tweet costs the web process more. */
export function watchedShareOf(largest: number): number {
  return Math.min(1, Math.max(0.1, (watched * writersOf) / largest));
}
