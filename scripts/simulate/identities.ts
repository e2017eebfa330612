import type { UserId } from "../../src/domain/ids.ts";
import type { Lab } from "../bench/lab.ts";
import { sessionOf, tokenOf } from "../bench/session.ts";
import type { Identity } from "./browser.ts";

/** Cookies and tokens of people by number: a person signs in when the first page or app needs it. */
export class Identities {
  readonly #lab: Lab;
  readonly #ids: UserId[];
  readonly #cookies = new Map<number, Promise<Identity>>();
  readonly #tokens = new Map<number, Promise<Identity>>();

  constructor(lab: Lab, ids: UserId[]) {
    this.#lab = lab;
    this.#ids = ids;
  }

  async cookie(person: number): Promise<Identity> {
    const known = this.#cookies.get(person);
    if (known !== undefined) return await known;
    const made = sessionOf(this.#lab, this.#id(person));
    const identity = made.then((cookie) => ({ cookie, ...addressOf(person) }));
    this.#cookies.set(person, identity);
    return await identity;
  }

  async token(person: number): Promise<Identity> {
    const known = this.#tokens.get(person);
    if (known !== undefined) return await known;
    const made = tokenOf(this.#lab, this.#id(person), "read write");
    const identity = made.then((token) => ({
      authorization: `Bearer ${token}`,
      ...addressOf(person),
    }));
    this.#tokens.set(person, identity);
    return await identity;
  }

  #id(person: number): UserId {
    return this.#ids[person] as UserId;
  }
}

/** Each person has an address of their own. */
export function addressOf(person: number): Identity {
  const [upper, middle, lower] = [16, 8, 0].map((bits) => (person >> bits) & 255);
  return { "x-forwarded-for": `10.${upper}.${middle}.${lower}` };
}
