import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { listInvitations, makeInvitation } from "../../../../src/domain/community/invitations.ts";
import { join } from "../../../../src/domain/community/join.ts";
import { writeSite } from "../../../../src/domain/site/settings.ts";
import { getUserByName } from "../../../../src/domain/users/store.ts";
import { newPeople } from "../../../support/actors/people.ts";
import { password, type Visitor } from "../../../support/actors/visitor.ts";
import { hiddenFields, olderOn } from "../../../support/inspect/page.ts";
import { createWorld, type World } from "../../../support/world/world.ts";

const asText = (html: string) => html.replaceAll(/<[^>]+>/g, " ").replaceAll(/\s+/g, " ");

describe("all invitations", () => {
  let world: World;
  let boss: Visitor;
  let ann: Visitor;
  beforeAll(async () => {
    world = await createWorld({ admins: ["boss"] }, { workers: false });
    boss = await world.newcomer("boss");
    ann = await world.newcomer("ann");
    await writeSite(world.ctx, { signUp: "invite", membersInvite: true });
  });
  afterAll(() => world.close());

  const come = async (name: string, invitation: string) =>
    await join(world.ctx, {
      name,
      fullname: name,
      password,
      invitation,
      reason: "",
      agreed: true,
    });

  it("an admin sees all invitations, who came by which, and can end each", async () => {
    const wish = { uses: 2, days: 7, note: "for friends" };
    const annsId = (await getUserByName(world.ctx, "ann")).id;
    const anns = await makeInvitation(world.ctx, annsId, wish);
    const shells = await makeInvitation(world.ctx, undefined, { ...wish, note: "by letter" });
    await come("guest", anns);
    const { text } = await boss.get("/admin/invitations").expect(200);
    const seen = asText(text);
    expect(seen).toMatch(/Made in the shell by letter .* @ann for friends .* @guest /);
    expect(text).not.toContain(anns.split(".")[1]);

    const forms = text
      .split("<form")
      .slice(1)
      .map((form) => `<form${form}`);
    for (const form of forms.filter((one) => one.includes("/admin/invitations"))) {
      const fields = hiddenFields(form, "/admin/invitations");
      await ann.post("/admin/invitations", fields).expect(403);
      await boss.post("/admin/invitations", fields).expect(303);
      await boss.post("/admin/invitations", fields).expect(303);
    }
    for (const invitation of [anns, shells])
      await expect(come("late", invitation)).rejects.toThrow("invitation.invalid");
    const log = asText((await boss.get("/admin/audit").expect(200)).text);
    expect(log.match(/@boss ended an invitation by @ann/g)).toHaveLength(1);
    expect(log.match(/ended an invitation/g)).toHaveLength(2);
    const unknown = { invitation: "x".repeat(43), inviter: annsId };
    await boss.post("/admin/invitations", unknown).expect(404);
  });

  it("an invitation of another user is ended on the page that notes it, and on no other", async () => {
    const { id } = await getUserByName(world.ctx, "ann");
    await makeInvitation(world.ctx, id, { uses: 2, days: 7, note: "for others" });
    const noted = async () =>
      (await listInvitations(world.ctx, id)).find(({ note }) => note === "for others");
    const isRevoked = async () => (await noted())?.revoked;
    const invitation = (await noted())?.digest ?? "";
    await boss.post("/settings/invitations/revoke", { invitation, inviter: id });
    expect(await isRevoked()).toBe(false);
    await ann.post("/settings/invitations/revoke", { invitation }).expect(303);
    expect(await isRevoked()).toBe(true);
  });

  it("inviters are listed page by page, each once", async () => {
    for (const user of await newPeople(world.ctx, 25))
      await makeInvitation(world.ctx, user, { uses: 1, days: 7, note: "" });
    const seen: string[] = [];
    for (let next: string | undefined = "/admin/invitations"; next !== undefined;) {
      const { text } = await boss.get(next).expect(200);
      seen.push(...[...text.matchAll(/id="(by-\w+)"/g)].map(([, id]) => id ?? ""));
      next = olderOn(text);
    }
    expect(seen).toHaveLength(27);
    expect(new Set(seen).size).toBe(27);
  });
});
