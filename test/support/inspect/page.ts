/** A tweet on a page. */
export interface ShownTweet {
  id: string;
  text: string;
  author: string;
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

/** Target of `rel="next"`. */
export function olderOn(html: string): string | undefined {
  const link = /<a[^>]*rel="next"[^>]*>/.exec(html)?.[0] ?? "";
  const href = /href="([^"]*)"/.exec(link)?.[1];
  return href === undefined ? undefined : unescape(href);
}

/** Hidden fields of the page's form with this action. */
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

/** The same with the texts of its larger fields. */
export function typedFields(html: string, action: string): Record<string, string> {
  const form = new RegExp(`<form[^>]*action="${action}".*?</form>`, "s").exec(html)?.[0] ?? "";
  const areas = form.matchAll(/<textarea[^>]*name="([^"]*)"[^>]*>\n?(.*?)<\/textarea>/gs);
  const texts = [...areas].map(([, name = "", text = ""]) => [name, unescape(text)]);
  return { ...hiddenFields(html, action), ...Object.fromEntries(texts) };
}

/** Address of the first avatar in the main part of a page. */
export function avatarOn(html: string): string {
  const main = html.slice(html.indexOf("<main"));
  return /<img class="avatar[^"]*" src="([^"]*)"/.exec(main)?.[1] ?? "";
}

/** The messages beside refused fields. */
export function alertsOn(html: string): string[] {
  return [...html.matchAll(/role="alert"[^>]*>(.*?)</gs)].map(([, text = ""]) => unescape(text));
}

/** Names of the users that a page lists. */
export function peopleOn(html: string): string[] {
  return [...withoutSide(html).matchAll(/<bdi class="person-fullname"[^>]*>.*?@(\w+)/gs)].map(
    ([, name = ""]) => name,
  );
}

/** A page without its side column. */
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
