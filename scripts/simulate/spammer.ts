import type { Browser, Identity } from "./browser.ts";
import type { Step } from "./plan.ts";
import type { Tally } from "./tally.ts";

const verbs = ["tweet", "tweet", "follow", "like"] as const;

/** A new account that writes to strangers, follows them and likes what it sees, through the forms of the site. */
export class Spammer {
  readonly #browser: Browser;
  readonly #tally: Tally;
  readonly #identity: Identity;
  readonly #people: number;
  #tries = 0;

  constructor(browser: Browser, tally: Tally, identity: Identity, people: number) {
    this.#browser = browser;
    this.#tally = tally;
    this.#identity = identity;
    this.#people = people;
  }

  /** One try. `liked`: a tweet of somebody. */
  async act({ luck }: Step, liked: string | undefined): Promise<void> {
    const nth = this.#tries++;
    const verb = verbs[nth % verbs.length] ?? "tweet";
    const stranger = `person_${Math.floor(luck * this.#people)}`;
    const [path, form] = {
      tweet: ["/tweets", { text: `@${stranger} Cheap seeds, offer number ${nth}!` }] as const,
      follow: [`/@${stranger}/follow`, {}] as const,
      like: [`/tweets/${liked ?? "1"}/like`, {}] as const,
    }[verb];
    const { status, location } = await this.#browser.postForm(path, form, this.#identity);
    const isDone = status === 303 && !location.startsWith("/login");
    const outcome = isDone ? "accepted" : status === 429 ? "refused" : "failed";
    this.#tally.count(`spam ${outcome}`);
    this.#tally.count(`spam ${verb} ${outcome}`);
  }
}
