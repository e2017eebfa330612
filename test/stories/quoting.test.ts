import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hiddenFields } from "../support/inspect/page.ts";
import { createWorld, type World } from "../support/world/world.ts";

describe("quoting and sharing", () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld({ baseUrl: "https://birds.example" });
  });
  afterAll(() => world.close());

  it("a user quotes a tweet, and its link is not shown beside the quote", async () => {
    const author = await world.newcomer("author");
    await author.tweet("worth a quote");
    const [tweet] = await author.see("/@author");
    const address = `/?quote=${tweet?.id}`;
    const fan = await world.newcomer("fan");
    expect((await fan.get("/@author")).text).toContain(`href="${address}#text"`);
    const { text: page } = await fan.get(address).expect(200);
    const start = composedIn(page);
    expect(start).toBe(`\n\nhttps://birds.example/tweets/${tweet?.id}`);

    await fan.post("/tweets", { ...hiddenFields(page, "/tweets"), text: `So true${start}` });
    expect(await fan.see("/@fan")).toMatchObject([{ text: "So true" }]);
    const { text: profile } = await fan.get("/@fan");
    expect(profile).toContain('<blockquote class="quote"');
    expect(profile).not.toContain(`>birds.example/tweets/${tweet?.id}<`);

    await author.post(`/tweets/${tweet?.id}/delete`).expect(303);
    const text = `So true\n\nbirds.example/tweets/${tweet?.id}`;
    expect(await fan.see("/@fan")).toMatchObject([{ text }]);
  });

  it("a quote without words is only the quote", async () => {
    const author = await world.newcomer("wordy");
    await author.tweet("says it all");
    const [tweet] = await author.see("/@wordy");
    const fan = await world.newcomer("wordless");
    await fan.tweet(`https://birds.example/tweets/${tweet?.id}`);
    expect(await fan.see("/@wordless")).toMatchObject([{ text: "" }]);
  });

  it("another app shares a page with the composer", async () => {
    const user = await world.newcomer("sharer");
    const shared = "/?title=A+page&text=Look+%3Cb%3E&url=https%3A%2F%2Fa.example%2F";
    expect(composedIn((await user.get(shared)).text)).toBe(
      "A page\nLook &lt;b&gt;\nhttps://a.example/",
    );
    const repeated =
      "/?title=A+page&text=A+page:+https%3A%2F%2Fa.example%2F&url=https%3A%2F%2Fa.example%2F";
    expect(composedIn((await user.get(repeated)).text)).toBe("A page: https://a.example/");
    expect(composedIn((await user.get("/?title=Same&text=Same")).text)).toBe("Same");
    expect(composedIn((await user.get("/?title=A+page")).text)).toBe("A page");
    expect(composedIn((await user.get("/?text=")).text)).toBe("");
    expect(composedIn((await user.get("/?quote=x")).text)).toBe("");
    const manifest = (await user.get("/manifest.webmanifest")).body as {
      share_target?: { action: string; params: Record<string, string> };
    };
    expect(manifest.share_target).toMatchObject({
      action: "/",
      params: { title: "title", text: "text", url: "url" },
    });
  });

  it("a signed-out reader logs in and finds the shared text in the composer", async () => {
    await world.newcomer("later");
    const visitor = world.visitor();
    const { headers } = await visitor.get("/?text=kept").expect(303);
    const { text: form } = await visitor.get(headers["location"] ?? "").expect(200);
    const next = hiddenFields(form, "/login")["next"] ?? "";
    expect(next).toBe("/?text=kept");
    await visitor.logIn("later");
    expect(composedIn((await visitor.get(next)).text)).toBe("kept");
  });
});

/** Text in the composer, as the page spells it. */
function composedIn(html: string): string {
  return /<textarea[^>]*>(.*?)<\/textarea>/s.exec(html)?.[1] ?? "none";
}
