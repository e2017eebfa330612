import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { createWorld } from "../support/world/world.ts";

interface Line {
  place: string;
  code: string;
}

describe("the templates", () => {
  let lines: Line[];
  beforeAll(async () => {
    lines = await templateLines();
    expect(lines.length).toBeGreaterThan(300);
  });

  const linesWith = (pattern: RegExp) => lines.filter(({ code }) => pattern.test(code));

  it("templates escape everything: no !{…}, no !=", () => {
    expect(linesWith(/!\{|!=(?!=)/)).toEqual([]);
    // Buffered code whose escaping is off begins a line or follows a tag.
    expect(linesWith(/^\s*!=|[\w)\]]!=(?!=)\s/)).toEqual([]);
  });

  it("templates name their tags and attributes: no #{tag}, no &attributes", () => {
    expect(linesWith(/&attributes/)).toEqual([]);
    expect(linesWith(/^\s*[#+]\{|:\s+[#+]\{|#\[\s*#\{|<\/?#\{/)).toEqual([]);
  });

  it("templates have no script, style or handler of their own", () => {
    expect(linesWith(/^\s*script(?!\(.*\bsrc=[^)]*\)\s*$)/)).toEqual([]);
    expect(linesWith(/^\s*style\b|<(script|style)|\bstyle=|[\s(]on\w+\s*=|javascript:/i)).toEqual(
      [],
    );
    expect(linesWith(/JSON\.stringify/)).toEqual([]);
  });

  it("templates have no raw HTML and no filters, which are not escaped", () => {
    expect(linesWith(/^\s*<|^\s*:\w/)).toEqual([]);
  });

  it("templates isolate every user-chosen name from the text around it", () => {
    const names = linesWith(/\.fullname\b/);
    expect(names.length).toBeGreaterThan(3);
    expect(names.filter(({ code }) => !/^\s*bdi\b/.test(code))).toEqual([]);
  });

  it("templates tell search engines and other sites nothing about user links", () => {
    // Of a text, a profile, an app, and the way back to an app.
    const links = linesWith(/href=(part\.href.*rel=|fact\.href|[\w.]+\.outward|back\b)/);
    expect(links).toHaveLength(5);
    // The other one leads to a tag or a person of this site: `part.outward` tells them apart.
    expect(linesWith(/href=part\.href/)).toHaveLength(2);
    for (const { code } of links) expect(code).toContain(`rel="nofollow noopener`);
  });
});

describe("the pages", () => {
  it("pages have no script element with content, and no handler", async () => {
    const world = await createWorld({}, { workers: false });
    const person = await world.newcomer("author");
    const evil = `</script><script>alert(1)</script>"'><img src=x onerror=alert(1)>`;
    await person
      .post("/settings/profile", {
        fullname: evil.slice(0, 50),
        bio: evil,
        website: `https://example.org/"><script>alert(1)</script>'`,
      })
      .expect(303);
    await person.tweet(`${evil} javascript:alert(1) https://example.org/"onclick="alert(1)`);
    const paths = [
      "/",
      "/explore",
      "/@author",
      "/tweets/1",
      "/settings/profile",
      "/@author/followers",
    ];
    for (const path of paths)
      for (const visitor of [person, world.visitor()]) {
        const { text, status } = await visitor.get(path);
        if (status === 303) continue;
        expect(text).not.toMatch(/<script(?![^>]* src=)[^>]*>|<img src=x/i);
        const tags = [...text.matchAll(/<[a-z](?:"[^"]*"|[^">])*>/gi)].map(([tag]) => tag);
        expect(tags.length).toBeGreaterThan(20);
        const bare = tags.map((tag) => tag.replaceAll(/"[^"]*"/g, '""'));
        expect(bare.filter((tag) => /\s(?:on\w+|style)=/i.test(tag))).toEqual([]);
        const hrefs = [...text.matchAll(/\s(?:href|action|src)="([^"]*)"/g)].map((one) => one[1]);
        expect(hrefs.filter((href) => !/^(?:\/|#|https?:\/\/)/.test(href ?? ""))).toEqual([]);
      }
    const { text } = await person.get("/tweets/1");
    await world.close();
    const links = [...text.matchAll(/<a [^>]*href="https?:[^>]*>/g)].map(([link]) => link);
    expect(links).toHaveLength(1);
    for (const link of links) expect(link).toMatch(/rel="nofollow noopener[ "]/);
  });
});

async function templateLines(): Promise<Line[]> {
  const folder = fileURLToPath(new URL("../../views", import.meta.url));
  const entries = await readdir(folder, { recursive: true });
  const files = entries.filter((name) => name.endsWith(".pug"));
  const texts = await Promise.all(
    files.map(async (file) => ({ file, text: await readFile(join(folder, file), "utf8") })),
  );
  return texts.flatMap(({ file, text }) =>
    text
      .split("\n")
      .map((code, index) => ({ place: `${file}:${index + 1}`, code }))
      .filter(({ code }) => !/^\s*\/\//.test(code)),
  );
}
