import { evenly, paretoOf, randomFrom, Ranks } from "./random.ts";

/** A site's people by number: the lower the number, the more followers. Who follows whom is by a power law. */
export interface Town {
  people: number;
  /** Whom each of them follows. */
  followings: Int32Array[];
  /** How many active people follow each of them. */
  activeFollowers: Int32Array;
  /** The active one who has followed each of them last; -1 for none. */
  lastFollower: Int32Array;
}

/** One in three has looked lately: the same share as in docs/scaling.md. Others have no home timeline. */
const activeOf = 3;
export const isActive = (person: number): boolean => person % activeOf === 0;

/** The person of whom all know. */
export const celebrity = 0;

/** Chance of being followed: that of rank n is 1 / n ** 0.9. */
export const popularity = 0.9;
const habits = {
  active: { least: 8, steepness: 2, most: 300 },
  idle: { least: 3, steepness: 2, most: 300 },
};

export function drawTown(people: number, seed: number): Town {
  const random = randomFrom(seed);
  const shift = random();
  const ranks = new Ranks(people, popularity);
  const town: Town = {
    people,
    followings: [],
    activeFollowers: new Int32Array(people),
    lastFollower: new Int32Array(people).fill(-1),
  };
  for (let person = 0; person < people; person += 1) {
    const habit = habits[isActive(person) ? "active" : "idle"];
    const wanted = Math.min(paretoOf(evenly(person, shift), habit), Math.floor(people / 3));
    const chosen = new Set<number>();
    while (chosen.size < wanted) {
      const other = ranks.draw(random());
      if (other !== person) chosen.add(other);
    }
    town.followings.push(Int32Array.from(chosen));
    if (!isActive(person)) continue;
    for (const other of chosen) {
      town.activeFollowers[other] = (town.activeFollowers[other] ?? 0) + 1;
      town.lastFollower[other] = person;
    }
  }
  return town;
}

/** Followers of each person, in the order of the people. */
export function followersIn({ people, followings }: Town): number[][] {
  const followers: number[][] = Array.from({ length: people }, () => []);
  for (const [person, chosen] of followings.entries())
    for (const other of chosen) followers[other]?.push(person);
  return followers;
}
