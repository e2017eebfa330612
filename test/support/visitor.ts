import type { RequestListener } from "node:http";
import request, { type Response, type Test } from "supertest";

/** A tweet as a page shows it. */
export interface ShownTweet {
  id: string;
  text: string;
  author: string;
}

export const password = "correct horse 42";

/** A person with a browser: cookies are kept, forms are sent as a browser without scripts sends them. */
export class Visitor {
  readonly agent: ReturnType<typeof request.agent>;
  name = "";

  /** `languages` as in Accept-Language; a browser that asks for none is given English. */
  constructor(app: RequestListener, languages?: string) {
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

  /** Posts from the composer of the home page, with all that the form carries. */
  async tweet(text: string): Promise<void> {
    const { text: page } = await this.get("/").expect(200);
    await this.post("/tweets", { ...hiddenFields(page, "/tweets"), text }).expect(303);
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

export function tweetsOn(html: string): ShownTweet[] {
  return [...html.matchAll(/<article[^>]* data-tweet-id="(\d+)".*?<\/article>/gs)].map(
    ([article, id = ""]) => ({
      id,
      text: unescape(/<p class="tweet-text[^"]*"[^>]*>(.*?)<\/p>/s.exec(article)?.[1] ?? ""),
      author: /href="\/@(\w+)"/.exec(article)?.[1] ?? "",
    }),
  );
}

/** Where `rel="next"` leads. */
export function olderOn(html: string): string | undefined {
  const link = /<a[^>]*rel="next"[^>]*>/.exec(html)?.[0] ?? "";
  const href = /href="([^"]*)"/.exec(link)?.[1];
  return href === undefined ? undefined : unescape(href);
}

/** What the page put into its form with this action, unseen. */
export function hiddenFields(html: string, action: string): Record<string, string> {
  const form = new RegExp(`<form[^>]*action="${action}".*?</form>`, "s").exec(html)?.[0] ?? "";
  const inputs = form.matchAll(/<input[^>]*type="hidden"[^>]*>/g);
  return Object.fromEntries(
    [...inputs].map(([input]) => [
      /name="([^"]*)"/.exec(input)?.[1] ?? "",
      unescape(/value="([^"]*)"/.exec(input)?.[1] ?? ""),
    ]),
  );
}

/** Address of the first avatar in the main part of a page. */
export function avatarOn(html: string): string {
  const main = html.slice(html.indexOf("<main"));
  return /<img class="avatar" src="([^"]*)"/.exec(main)?.[1] ?? "";
}

/** The messages beside refused fields. */
export function alertsOn(html: string): string[] {
  return [...html.matchAll(/role="alert"[^>]*>(.*?)</gs)].map(([, text = ""]) => unescape(text));
}

/** The names of the people that a page lists. */
export function peopleOn(html: string): string[] {
  return [...withoutSide(html).matchAll(/<bdi class="person-fullname"[^>]*>.*?@(\w+)/gs)].map(
    ([, name = ""]) => name,
  );
}

/** A page without what is offered beside it. */
export function withoutSide(html: string): string {
  return html.replace(/<aside class="side.*?<\/aside>/s, "");
}

function unescape(html: string): string {
  return html
    .replaceAll(/<[^>]*>/g, "")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&amp;", "&");
}
