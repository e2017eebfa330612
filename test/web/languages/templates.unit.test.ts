import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { wordsIn } from "./template-words.ts";

const folder = fileURLToPath(new URL("../../../views/", import.meta.url));
const templates = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
  name.endsWith(".pug"),
);

describe("the templates", () => {
  it("templates have no words outside of messages", () => {
    expect(templates.length).toBeGreaterThan(30);
    const found = templates.flatMap((name) =>
      wordsIn(readFileSync(folder + name, "utf8"), folder + name).map((one) => `${name}:${one}`),
    );
    expect(found).toEqual([]);
  });
});

describe("the template check", () => {
  it.each([
    "p Hello",
    "p\n  | Hello",
    'p= "Hello"',
    'p= isNew ? "new" : t("a.b")',
    "p= `Hello ${name}`",
    'a(title="hello" href="/")',
    "img(alt=`Of ${name}`)",
    'input(type="submit" value="send")',
    'mixin field(name, label)\n  p= label\n+field("name", "Your name")',
    'mixin field(options)\n  p= options.hint\n+field({ hint: "Say it" })',
    'if a\n  p= t("a.b")\nelse\n  each b in c\n    p Hello',
    'case a\n  when "b"\n    p Hello',
    "p @#{name} says",
  ])("the template check finds the word in %j", (source) => {
    expect(wordsIn(source, "some.pug")).toHaveLength(1);
  });

  it.each([
    "h1 Suzume",
    "p @#{name} · #{count}",
    'p(class="big" title=t("a.b"))= t(`a.${b}`, { name: d === "c" ? 1 : 2 })',
    'input(type="radio" name="reason" value="spam")',
    'img(src=assets["sparrow.svg"] alt="")',
    'meta(name="viewport" content="width=device-width")',
    'mixin field(name, label)\n  p= label\n+field("name", t("a.b"))',
    'mixin field(name, accept)\n  p= name\n+field("user_name", "image/png,image/webp")',
  ])("the template check finds no word in %j", (source) => {
    expect(wordsIn(source, "some.pug")).toEqual([]);
  });
});
