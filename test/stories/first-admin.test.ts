import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { password, type Visitor } from "../support/actors/visitor.ts";
import { alertsOn, hiddenFields } from "../support/inspect/page.ts";
import { createWorld, type World } from "../support/world/world.ts";

const noticeOn = (html: string) => /<p class="notice" role="status">([^<]*)/.exec(html)?.[1];

describe("the first admin", () => {
  let world: World;
  let boss: Visitor;
  let rude: Visitor;
  beforeAll(async () => {
    world = await createWorld({ admins: ["boss"] }, { workers: false });
    boss = await world.newcomer("boss");
    rude = await world.newcomer("rude");
  });
  afterAll(() => world.close());

  const openThings = async () => {
    const { text } = await boss.get("/admin").expect(200);
    const list = /<ul class="checklist".*?<\/ul>/s.exec(text)?.[0] ?? "";
    return [...list.matchAll(/<a href="[^"]+">([^<]+)/g)].map(([, label]) => label);
  };

  it("an admin sees the way to the administration on every page, others do not", async () => {
    const link = /<li class="main-nav-wide"><a class="main-nav-link" href="\/admin"/;
    expect((await boss.get("/").expect(200)).text).toMatch(link);
    expect((await rude.get("/").expect(200)).text).not.toMatch(link);
  });

  it("a new site lists what to do first, and crosses out what is done", async () => {
    const all = await openThings();
    for (const thing of ["Give the site a name", "Write the rules", "Invite people"])
      expect(all).toContain(thing);
    const settings = { signUp: "open", read: "public", name: "Bean Club", rules: "Be kind." };
    await boss.post("/admin/site", settings).expect(303);
    const left = await openThings();
    expect(left).not.toContain("Give the site a name");
    expect(left).not.toContain("Write the rules");
    expect(left).toContain("Say how people can reach you");
  });

  it("the page of all invitations leads to a new one, which comes as a link with a button to copy it", async () => {
    const { text } = await boss.get("/admin/invitations").expect(200);
    expect(text).toContain('href="/settings/invitations">Invite people</a>');
    const fields = { uses: "1", days: "7", note: "" };
    const { text: made } = await boss.post("/settings/invitations", fields).expect(200);
    const [, link] = /data-copy="([^"]*\/signup\?invitation=[^"]+)" hidden/.exec(made) ?? [];
    expect(made).toContain(`value="${link}"`);
  });

  it("a decision is followed by a word of what was done, and a suspended member is told", async () => {
    const decide = async (verb: string) => {
      const { text: form } = await boss.get("/admin/suspended").expect(200);
      const fields = { ...hiddenFields(form, "/admin/suspended"), name: "rude", verb, note: "" };
      const { headers } = await boss.post("/admin/suspended", fields).expect(303);
      return noticeOn((await boss.get(headers["location"] as string).expect(200)).text);
    };
    expect(await decide("suspend")).toBe("The account is suspended.");
    const sent = await rude.get("/").expect(303);
    const { text: door } = await rude.get(sent.headers["location"] as string).expect(200);
    expect(door).toContain("Your session has ended. Log in to go on.");
    const refused = await rude.post("/login", { name: "rude", password }).expect(422);
    expect(alertsOn(refused.text)[0]).toContain("This account is suspended.");
    await rude.get("/").expect(200);
    expect(await decide("reinstate")).toBe("The account is reinstated.");
    const { text } = await boss.get("/admin/suspended?done=<b>").expect(200);
    expect(noticeOn(text)).toBeUndefined();
  });
});
