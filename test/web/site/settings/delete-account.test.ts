import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { alertsOn } from "../../../support/inspect/page.ts";
import { password } from "../../../support/actors/visitor.ts";
import { createWorld, type World } from "../../../support/world/world.ts";

const path = "/settings/account/delete";

describe("the form that deletes an account", () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
  });
  afterAll(() => world.close());

  it("the form that deletes an account is in the settings and asks twice", async () => {
    const person = await world.newcomer("hesitant");
    expect((await person.get("/settings/account").expect(200)).text).toContain(`href="${path}"`);
    const refused = await person.post(path, { name: "other", password }).expect(422);
    expect(alertsOn(refused.text)).toEqual(["That is not your username."]);
    const guessed = await person.post(path, { name: "hesitant", password: "no" }).expect(422);
    expect(alertsOn(guessed.text)).toEqual(["That is not your current password."]);
    expect(guessed.text).toContain('value="hesitant"');
    await person.post(path, {}).expect(422);
    await world.visitor().get("/@hesitant").expect(200);
    await world.visitor().post(path, { name: "hesitant", password }).expect(303);
    await world.visitor().get("/@hesitant").expect(200);
  });

  it("deleting an account ends every session and the profile at once", async () => {
    const person = await world.newcomer("resolute");
    const elsewhere = world.visitor();
    await elsewhere.logIn("resolute");
    const gone = await person.post(path, { name: "resolute", password }).expect(303);
    const goodbye = await person.get(gone.headers["location"] as string).expect(200);
    expect(goodbye.text).toContain("Goodbye");
    for (const browser of [person, elsewhere])
      await browser.get("/settings/profile").expect(303).expect("Location", /login/);
    for (const page of ["/@resolute", "/@resolute/followers"])
      await world.visitor().get(page).expect(404);
    const fields = { name: "resolute", password };
    await world.visitor().post("/login", fields).expect(422);
    const taken = await world
      .visitor()
      .post("/signup", { ...fields, fullname: "New" })
      .expect(422);
    expect(alertsOn(taken.text)).toEqual(["That name is taken. Please choose another."]);
  });

  it("the forms that delete an account and change a password count wrong passwords together", async () => {
    const thief = await world.newcomer("robbed");
    const change = (current: string, next = "a new horse 42") =>
      thief.post("/settings/account", { current_password: current, new_password: next });
    // What is wrong with a new password tells nothing about the old one.
    for (let tries = 0; tries < 12; tries += 1) await change(password, "short").expect(422);
    for (let tries = 0; tries < 5; tries += 1) {
      await change(`guess ${tries}`).expect(422);
      await thief.post(path, { name: "robbed", password: `guess ${tries}` }).expect(422);
    }
    const refused = await change(password).expect(429);
    expect(Number(refused.headers["retry-after"])).toBeGreaterThan(0);
    await thief.post(path, { name: "robbed", password }).expect(429);
    await world.visitor().logIn("robbed");
    const other = await world.newcomer("unharmed");
    await other
      .post("/settings/account", { current_password: password, new_password: "a new horse 42" })
      .expect(303);
  });
});
