import request from "supertest";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { picture } from "../support/data/pictures.ts";
import { password, type Visitor } from "../support/actors/visitor.ts";
import { type MailServer, startMailServer } from "../support/world/mail-server.ts";
import { closeChecked } from "../support/world/doctor.ts";
import { createWorld, type World } from "../support/world/world.ts";

const base = "https://beans.example";
const branding = {
  signUp: "open",
  read: "public",
  name: "豆の木 & Beans",
  tagline: "Gardeners of the east side.",
  description: "We grow beans.\n\nSee https://beans.example/shed",
  contact: "shed@beans.example",
  accent: "#1d5fa8",
  announcement: "The shed is closed.",
  rules: "Be kind.\nNo ads.",
};
const escaped = branding.name.replace("&", "&amp;");

describe("a site with branding of its own", () => {
  let world: World;
  let mails: MailServer;
  let admin: Visitor;
  let tweet: string;
  beforeAll(async () => {
    mails = await startMailServer();
    world = await createWorld({
      admins: ["keeper"],
      baseUrl: base,
      contact: "mailto:host@elsewhere.example",
      smtpUrl: mails.url,
      mailFrom: "site@beans.example",
    });
    admin = await world.newcomer("keeper");
    await admin.tweet("Hello from the shed");
    await world.delivered();
    tweet = (await admin.see("/"))[0]?.id ?? "";
    await admin.post("/admin/site", branding).expect(303);
    const logo = await picture("png", { width: 300, height: 300 });
    await admin.agent.post("/admin/site/logo").attach("logo", logo, "l.png").expect(303);
  });
  afterAll(async () => {
    await closeChecked(world);
    await mails.close();
  });

  const read = async (path: string) => {
    const { text, body } = await request(world.app).get(path).buffer(true).expect(200);
    return text ?? String(body);
  };
  const json = async (path: string) =>
    (await request(world.app).get(path).expect(200)).body as Record<string, never>;

  it.each(["/", "/login", "/signup", "/forgot", "/about", "/explore", "/@keeper", "/privacy"])(
    "a site with its own branding does not call itself Suzume on %s",
    async (path) => {
      const page = await read(path);
      expect(page).toMatch(new RegExp(`<title>[^<]*${escaped}</title>`));
      expect(page).toContain(`<meta property="og:site_name" content="${escaped}">`);
      expect(page).toMatch(
        /property="og:image" content="https:\/\/beans\.example\/logo\/\w+\/icon\.png"/,
      );
      const software = /<section[^>]*software-heading.*?<\/section>|traces of deleted.*?<\/p>/gis;
      expect(page.replaceAll(software, "")).not.toContain("Suzume");
    },
  );

  it("a site introduces itself to strangers on its start page and the page about it", async () => {
    const start = await read("/");
    expect(start).toContain(`<h1 id="welcome-heading" dir="auto">${escaped}</h1>`);
    expect(start).toContain(branding.tagline);
    expect(start).not.toContain("Say it small");
    const about = await read("/about");
    for (const text of [branding.tagline, "We grow beans.", "Be kind.", "No ads.", "Suzume"])
      expect(about).toContain(text);
    expect(about).toContain('href="mailto:shed@beans.example"');
    expect(about).not.toContain("host@elsewhere.example");
    expect(await read("/signup")).toContain("No ads.");
  });

  it("programs are told the name, the texts and the pictures of a site", async () => {
    expect(JSON.parse(await read("/manifest.webmanifest"))).toMatchObject({
      name: branding.name,
      description: branding.tagline,
      icons: [{ sizes: "192x192" }, { sizes: "512x512" }, { purpose: "maskable" }],
    });
    expect(await read("/opensearch.xml")).toContain(`<ShortName>${escaped}</ShortName>`);
    expect(await read("/.well-known/security.txt")).toContain("mailto:shed@beans.example");
    for (const format of ["rss", "atom", "json"])
      expect(await read(`/@keeper.${format}`)).toContain("on 豆の木");
    const embed = await json(`/oembed?url=${encodeURIComponent(`${base}/tweets/${tweet}`)}`);
    expect(embed).toMatchObject({ provider_name: branding.name });
    const told = { title: branding.name, rules: [{ text: "Be kind." }, { text: "No ads." }] };
    expect(await json("/api/v1/instance")).toMatchObject({
      ...told,
      short_description: branding.tagline,
      email: branding.contact,
    });
    const instance = await json("/api/v2/instance");
    expect(instance).toMatchObject({
      ...told,
      description: branding.tagline,
      contact: { email: branding.contact },
    });
    const { url } = instance["thumbnail"] as unknown as { url: string };
    await request(world.app).get(new URL(url).pathname).expect(200);
    const { content } = await json("/api/v1/instance/extended_description");
    expect(content).toMatch(
      /^<p>We grow beans\.<\/p><p>See <a href="https:\/\/beans\.example\/shed"/,
    );
    expect(await json("/nodeinfo/2.1")).toMatchObject({
      openRegistrations: true,
      metadata: { nodeName: branding.name, nodeDescription: branding.tagline },
    });
  });

  it("mails come from the site by its name", async () => {
    const fields = { address: "keeper@example.org", password };
    await admin.post("/settings/account/mail", fields).expect(303);
    const mail = await mails.mailTo("keeper@example.org");
    expect(mail.subject).toContain(branding.name);
    expect(mail.sender).toBe(branding.name);
  });

  it("an untouched site is Suzume, as it was", async () => {
    await admin.post("/admin/site/logo/remove").expect(303);
    const empty = { tagline: "", description: "", contact: "", accent: "", announcement: "" };
    await admin
      .post("/admin/site", { ...branding, ...empty, name: "Suzume", rules: "" })
      .expect(303);
    const start = await read("/");
    expect(start).toContain("<title>Suzume</title>");
    expect(start).toContain("Say it small.");
    expect(start).not.toMatch(/\/logo\/|\/accent\/|announcement/);
    expect(await read("/about")).toContain("mailto:host@elsewhere.example");
  });
});
