import calculateSlot from "cluster-key-slot";
import { keys } from "../../redis/keys.ts";
import type { UserId } from "../ids.ts";

const longestId = 15;

/** The key of an id that begins with zeros, which no user has, has a slot as well. */
const slotOf = (digits: string) => calculateSlot(keys.homeTimeline(digits as UserId));

const zeros = Array.from({ length: longestId + 1 }, (_, length) => slotOf("0".repeat(length)));
/** What each digit changes, by the number of digits behind it. */
const shares = Uint16Array.from({ length: longestId * 10 }, (_, nth) => {
  const behind = "0".repeat(Math.floor(nth / 10));
  return slotOf(`${nth % 10}${behind}`) ^ slotOf(`0${behind}`);
});

/**
 * The slot of a user's home timeline on a cluster; the id is some bytes of a text. A slot is a CRC: what a digit changes
 * in it does not depend on the other digits. So it takes a look-up for each digit, where making the key and its CRC
 * would be most of a fan-out's cost.
 */
export function homeSlot(text: Buffer, start: number, end: number): number {
  let slot = zeros[end - start] ?? 0;
  for (let at = start; at < end; at += 1)
    slot ^= shares[(end - 1 - at) * 10 + (text[at] ?? 48) - 48] ?? 0;
  return slot;
}
