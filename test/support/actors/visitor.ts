import type { RequestListener } from "node:http";
import request, { type Response, type Test } from "supertest";
import { hiddenFields, olderOn, type ShownTweet, tweetsOn } from "../inspect/page.ts";

export const password = "correct horse 42";

/** A browser without scripts: it keeps cookies and sends forms. */
export class Visitor {
  readonly agent: ReturnType<typeof request.agent>;
  name = "";

  /**
   * `app` may be the address of a running site. `languages` as in Accept-Language; a browser that asks for none is
   * given English.
   */
  constructor(app: RequestListener | string, languages?: string) {
    this.agent = request.agent(app);
    if (languages !== undefined) this.agent.set("Accept-Language", languages);
  }

  get(path: string): Test {
    return this.agent.get(path);
  }

  post(path: string, fields: Record<string, string> = {}): Test {
    return this.agent.post(path).type("form").send(fields);
  }

  async signUp(name: string): Promise<Response> {
    this.name = name;
    const fields = { name, fullname: `Test ${name}`, password };
    return await this.post("/signup", fields).expect(303);
  }

  async logIn(name: string): Promise<Response> {
    this.name = name;
    return await this.post("/login", { name, password }).expect(303);
  }

  /** Posts by the form on the home page, hidden fields included, with `further` ones. */
  async tweet(text: string, further: Record<string, string> = {}): Promise<void> {
    const { text: page } = await this.get("/").expect(200);
    await this.post("/tweets", { ...hiddenFields(page, "/tweets"), ...further, text }).expect(303);
  }

  /** Sends a file to the page of the import, and starts it there after its preview. */
  async import(file: Buffer): Promise<void> {
    await this.agent.post("/settings/data").attach("file", file, "export").expect(303);
    await this.steerImport("start");
  }

  /** A button below the import. */
  async steerImport(step: string): Promise<void> {
    const action = "/settings/data/import";
    const { text: page } = await this.get("/settings/data").expect(200);
    await this.post(action, { ...hiddenFields(page, action), step }).expect(303);
  }

  async follow(name: string): Promise<void> {
    await this.post(`/@${name}/follow`).expect(303);
  }

  async unfollow(name: string): Promise<void> {
    await this.post(`/@${name}/unfollow`).expect(303);
  }

  /** The tweets of one page. */
  async see(path: string): Promise<ShownTweet[]> {
    const { text } = await this.get(path).expect(200);
    return tweetsOn(text);
  }

  /** The tweets of a list, page by page to its very end; `between` runs before each further page. */
  async readAll(
    path: string,
    between: () => Promise<void> = async () => {},
  ): Promise<ShownTweet[]> {
    const tweets: ShownTweet[] = [];
    for (let next: string | undefined = path; next !== undefined;) {
      const { text } = await this.get(next).expect(200);
      tweets.push(...tweetsOn(text));
      next = olderOn(text);
      if (next !== undefined) await between();
    }
    return tweets;
  }
}
