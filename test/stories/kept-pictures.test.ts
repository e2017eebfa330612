import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { send, sources } from "../support/actors/composer.ts";
import type { Visitor } from "../support/actors/visitor.ts";
import { noise, photo, picture } from "../support/data/pictures.ts";
import { createWorld, type World } from "../support/world/world.ts";

/** Name and value of each field that a form sends. */
type Fields = [name: string, value: string][];

describe("pictures that a form keeps", () => {
  let world: World;
  let ann: Visitor;
  beforeAll(async () => {
    world = await createWorld();
    ann = await world.newcomer("ann");
  });
  afterAll(() => world.close());

  const postTwo = async (): Promise<string> => {
    const pictures = [await picture("png"), await picture("webp")];
    await send(ann, { text: "Two", pictures, descriptions: ["first", "second"] });
    await world.delivered();
    return `/tweets/${(await ann.see("/@ann"))[0]?.id}`;
  };
  /** Sends the fields as a browser without scripts does, with some more files. */
  const submit = async (path: string, fields: Fields, files: Buffer[] = []) => {
    const form = ann.agent.post(path);
    for (const [name, value] of fields) form.field(name, value);
    for (const file of files) form.attach("pictures", file, "new.png");
    return await form;
  };
  /** Address and description of each picture on the page of a tweet. */
  const shown = async (url: string) => {
    const { text } = await ann.get(url).expect(200);
    const alts = [
      ...text.matchAll(/<img (?:class="u-photo" )?src="\/pictures\/[^>]*?alt="([^"]*)"/g),
    ];
    return { sources: sources(text), alts: alts.map(([, alt]) => alt) };
  };

  it("a form that is refused for its pictures keeps its audience, cover and poll, which stand behind them", async () => {
    const small = await noise();
    const large = Buffer.concat([await photo(), Buffer.alloc(5_000_001)]);
    for (const sent of [Array<Buffer>(5).fill(small), [large, small]]) {
      const form = ann.agent.post("/tweets").field("text", "for friends");
      for (const [nth, one] of sent.entries()) form.attach("pictures", one, `${nth}.jpg`);
      form.field("sensitive", "on").field("choice_1", "yes").field("audience", "followers");
      const { text: page } = await form.expect(422);
      expect(page).toContain("for friends");
      expect(page).toMatch(/<option value="followers" selected/);
      expect(page).toMatch(/name="sensitive"[^>]*checked/);
      expect(page).toMatch(/name="choice_1"[^>]*value="yes"/);
    }
  });

  it("a form that is refused before it is looked at keeps its pictures, too", async () => {
    const { text: page } = await ann.get("/").expect(200);
    const fields = changed(fieldsOn(page, "/tweets"), { text: "Which?", description_1: "A wren" });
    const asked = await submit("/tweets", [...fields, ["ask_poll", "on"]], [await picture("png")]);
    expect(asked.status).toBe(422);
    expect(asked.text).toMatch(/name="uploads" value="[0-9a-f]{24}"/);
    expect(asked.text).toContain('value="A wren"');
  });

  it("each keeps its description when the one before it is unchecked", async () => {
    const url = await postTwo();
    const both = (await shown(url)).sources;
    const { text: page } = await ann.get(`${url}/edit`).expect(200);
    const sent = await submit(`${url}/edit`, unchecked(fieldsOn(page, `${url}/edit`), 1));
    expect([sent.status, sent.headers["location"]]).toEqual([303, url]);
    expect(await shown(url)).toEqual({ sources: [both[1]], alts: ["second"] });
  });

  it("new pictures have the descriptions after those that were shown", async () => {
    const url = await postTwo();
    const { text: page } = await ann.get(`${url}/edit`).expect(200);
    const typed = changed(fieldsOn(page, `${url}/edit`), {
      description_2: "still here",
      description_3: "third",
      description_5: "fifth",
    });
    const files = [await picture("png"), await picture("png"), await picture("png")];
    await submit(`${url}/edit`, unchecked(typed, 1), files);
    expect((await shown(url)).alts).toEqual(["still here", "third", "Picture 3 of 4", "fifth"]);
  });

  const refusals: [what: string, changes: Record<string, string>][] = [
    ["a text that is refused", { text: "long ".repeat(80) }],
    ["a description that is refused", { description_2: "x".repeat(1001) }],
    ["an input that is refused", { audience: "nobody" }],
  ];
  it.each(refusals)("after %s the form shown again fits", async (_what, changes) => {
    const url = await postTwo();
    const action = `${url}/edit`;
    const { text: page } = await ann.get(action).expect(200);
    const added = { description_3: "third" };
    const typed = unchecked(changed(fieldsOn(page, action), { ...added, ...changes }), 1);
    const refused = await submit(action, typed, [await picture("png")]);
    expect(refused.status).toBe(422);
    const again = fieldsOn(refused.text, action);
    const files = valuesOf(again, "uploads").length === 1 ? [await picture("png")] : [];
    const mended = changed(again, { text: "Now", description_1: "mended", audience: "public" });
    expect(valuesOf(again, "description_2")).toEqual(["third"]);
    expect((await submit(action, mended, files)).status).toBe(303);
    expect((await shown(url)).alts).toEqual(["mended", "third"]);
  });

  it("a draft keeps each description with its picture", async () => {
    const { text: home } = await ann.get("/").expect(200);
    const typed = changed(fieldsOn(home, "/tweets"), {
      text: "Later",
      description_1: "first",
      description_2: "second",
    });
    const files = [await picture("png"), await picture("webp")];
    const saved = await submit("/drafts", typed, files);
    const path = String(saved.headers["location"]).replace("?saved", "");
    const { text: page } = await ann.get(path).expect(200);
    const sent = await submit(path, [...unchecked(fieldsOn(page, path), 1), ["do", "send"]]);
    expect((await shown(String(sent.headers["location"]))).alts).toEqual(["second"]);
  });
});

/** Without the tick of a kept picture, counted from 1. */
function unchecked(fields: Fields, number: number): Fields {
  const upload = valuesOf(fields, "uploads")[number - 1];
  return fields.filter(([name, value]) => name !== "uploads" || value !== upload);
}

function changed(fields: Fields, changes: Record<string, string>): Fields {
  const others = fields.filter(([name]) => !(name in changes));
  return [...others, ...Object.entries(changes)];
}

function valuesOf(fields: Fields, wanted: string): string[] {
  return fields.filter(([name]) => name === wanted).map(([, value]) => value);
}

/** The fields of a page's form as it is shown, without lists to choose from. */
function fieldsOn(html: string, action: string): Fields {
  const form = new RegExp(`<form[^>]*action="${action}".*?</form>`, "s").exec(html)?.[0] ?? "";
  const areas = form.matchAll(/<textarea[^>]*name="([^"]*)"[^>]*>\n?(.*?)<\/textarea>/gs);
  const inputs = [...form.matchAll(/<input[^>]*>/g)]
    .map(([input]) => input)
    .filter((input) => !/type="(file|radio)"/.test(input))
    .filter((input) => !input.includes('type="checkbox"') || /\bchecked\b/.test(input));
  return [
    ...inputs.map((input): Fields[number] => [attribute(input, "name"), attribute(input, "value")]),
    ...[...areas].map(([, name = "", text = ""]): Fields[number] => [name, text]),
  ];
}

function attribute(input: string, name: string): string {
  return new RegExp(`\\b${name}="([^"]*)"`).exec(input)?.[1] ?? "";
}
