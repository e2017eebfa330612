import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { logInForm, signUpForm } from "../../../src/web/site/sign-in/form.ts";
import { readForm, showForm, textsOf } from "../../../src/web/layout/form.ts";
import { tweetForm } from "../../../src/web/site/tweets/form.ts";
import { Invalid, type Problems } from "../../../src/domain/errors.ts";
import { alertsOn } from "../../support/inspect/page.ts";
import { createWorld, type World } from "../../support/world/world.ts";
import { english } from "../../support/actors/english-reader.ts";

function problemsOf(body: unknown): Problems {
  try {
    readForm(signUpForm, body);
  } catch (error) {
    if (error instanceof Invalid) return error.problems;
    throw error;
  }
  return {};
}

describe("a form", () => {
  it("a form takes its own fields and nothing else", () => {
    const body = { name: "a", password: "b", role: "admin", id: "1", next: "/x" };
    expect(readForm(logInForm, body)).toEqual({ name: "a", password: "b", next: "/x" });
  });

  it("a form names the missing fields, also without a body", () => {
    const all = { name: "field.missing", fullname: "field.missing", password: "field.missing" };
    expect(problemsOf({})).toEqual(all);
    expect(problemsOf(undefined)).toEqual(all);
    expect(problemsOf({ name: "a", fullname: "b" })).toEqual({ password: "field.missing" });
  });

  it("a form takes one string for each field: no lists, no objects", () => {
    const rest = { fullname: "b", password: "c" };
    expect(problemsOf({ name: ["a", "b"], ...rest })).toEqual({ name: "field.malformed" });
    expect(problemsOf({ name: { $ne: "" }, ...rest })).toEqual({ name: "field.malformed" });
    expect(problemsOf("name=a")).not.toEqual({});
    expect(problemsOf(["a"])).not.toEqual({});
  });

  it("a form does not pass on what pollutes prototypes", () => {
    const body: unknown = JSON.parse('{"__proto__":"x","constructor":"y","text":"hello"}');
    expect(readForm(tweetForm, body)).toEqual({ text: "hello" });
    expect(Object.getPrototypeOf(textsOf(body))).toBe(Object.prototype);
  });

  it("a refused form shows what was typed, but never a secret", () => {
    const typed = { name: "a", fullname: ["b"], password: "c", next: "/x" };
    const shown = showForm(english, signUpForm, typed, { name: "name.taken" });
    expect(shown.fields["name"]).toMatchObject({ value: "a" });
    expect(shown.fields["name"]?.error).toContain("taken");
    expect(shown.fields["fullname"]).toEqual({ value: "", error: undefined });
    expect(shown.fields["password"]).toEqual({ value: "", error: undefined });
    expect(shown.hidden).toEqual([{ name: "next", value: "/x" }]);
  });
});

describe("a refused form on a page", () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
  });
  afterAll(() => world.close());

  it("a field sent twice is refused with a message beside it", async () => {
    const body = "name=a&name=b&fullname=c&password=long+enough+1";
    const refused = await world.visitor().agent.post("/signup").type("form").send(body).expect(422);
    expect(alertsOn(refused.text)).toEqual(["This value is not valid."]);
  });

  it("a refused form escapes what was typed", async () => {
    const name = `"><script>alert(1)</script>`;
    const fields = { name, fullname: name, password: "x", next: `/"><script>` };
    const { text } = await world.visitor().post("/signup", fields).expect(422);
    expect(text).not.toContain("<script>");
    expect(text).toContain("&quot;&gt;&lt;script&gt;");
  });
});
