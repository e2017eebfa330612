import { randomUUID } from "node:crypto";
import type { Ctx } from "../../../src/context.ts";
import type { Browser } from "./browser.ts";
import { makePeople, password } from "./inside.ts";
import type { Lab } from "./lab.ts";
import type { Load } from "./load.ts";
import { peopleOn, tweetsOn } from "./pages.ts";

/** A user beside the load who has a tweet, a like, a retweet and a follow, and takes each of them back. */
export class Remover {
  readonly #browser: Browser;
  /** Logged in all the time, to log out. */
  readonly #leaver: Browser;
  #own = "";
  #liked = "";

  private constructor(lab: Lab, load: Load) {
    this.#browser = load.browser(50_003);
    this.#leaver = load.browser(50_004);
    lab.onClose(() => [this.#browser, this.#leaver].forEach((browser) => browser.close()));
  }

  static async prepare(lab: Lab, ctx: Ctx, load: Load): Promise<Remover> {
    await makePeople(ctx, "remover", 3, 1);
    const remover = new Remover(lab, load);
    await remover.#leaver.logIn("remover2", password);
    await remover.#browser.logIn("remover1", password);
    await remover.#browser.post("/tweets", { text: "to be deleted", nonce: randomUUID() });
    remover.#own = await remover.#newestEntries("remover1");
    await load.scout.post();
    remover.#liked = await remover.#newestEntries(load.scout.person.name);
    for (const verb of ["like", "retweet"])
      await remover.#browser.post(`/tweets/${remover.#liked}/${verb}`);
    return remover;
  }

  /** Now, whatever is wrong with Redis; pages show it at once. */
  async removeAll(lab: Lab): Promise<void> {
    const forms = [
      `/tweets/${this.#own}/delete`,
      `/tweets/${this.#liked}/unlike`,
      `/tweets/${this.#liked}/unretweet`,
      "/@remover2/unfollow",
      "/@remover3/block",
    ];
    for (const form of forms) {
      const { status } = await this.#browser.post(form);
      lab.report.expect(status === 303, "a removal was refused", `POST ${form}: ${status}`);
    }
    lab.report.expect(await this.#leaver.logOut(), "a log-out was refused");
    await this.checkRemoved(lab);
  }

  /** As pages show it. */
  async checkRemoved({ report }: Lab): Promise<void> {
    const read = async (path: string) => (await this.#browser.get(path)).body;
    const { status } = await this.#browser.get(`/tweets/${this.#own}`);
    report.expect(status === 404 || status === 410, "a deleted tweet is there", String(status));
    const likes = tweetsOn(await read("/@remover1/likes"));
    report.expect(likes.length === 0, "a like that was taken back is there");
    const profile = tweetsOn(await read("/@remover1"));
    report.expect(profile.length === 0, "a retweet that was taken back is there");
    const followings = peopleOn(await read("/@remover1/followings"));
    report.expect(!followings.includes("remover2"), "a follow that was taken back is there");
    const blocked = await read("/settings/blocked");
    report.expect(blocked.includes("@remover3<"), "a block is not there");
  }

  async #newestEntries(name: string): Promise<string> {
    const [newest] = tweetsOn((await this.#browser.get(`/@${name}`)).body);
    if (newest === undefined) throw new Error(`@${name} has no tweet`);
    return newest.tweet;
  }
}
