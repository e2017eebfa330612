import { describe, expect, it } from "vitest";
import {
  hasBlockedDomain,
  hasBlockedWord,
  holdsAddress,
  isBlockedName,
  toDomain,
  toNetwork,
} from "../../src/domain/block-match.ts";
import { toBlocks } from "../../src/domain/blocks.ts";
import { growth } from "../support/inspect/growth.ts";

describe("blocked domains", () => {
  const blocks = toBlocks(["domain:evil.example", "domain:xn--ndu.example", "domain:127.0.0.1"]);

  it.each([
    "https://evil.example",
    "https://evil.example/page?x=1#y",
    "see evil.example for more",
    "HTTPS://Sub.EVIL.Example:8080/x",
    "https://ｅｖｉｌ．ｅｘａｍｐｌｅ/",
    "https://evil。example/",
    "https://ev%69l.example/",
    "https://good.example@evil.example/",
    "https:\\\\evil.example\\x",
    "(https://evil.example).",
    "https://evil.example./x",
    "これはhttps://evil.exampleです",
    "これはevil.exampleです",
    "mail me@evil.example",
    "https://悪.example/",
    "https://XN--NDU.example/",
    "http://2130706433/",
    "http://0x7f.1/",
    "a\u00ADb e\u00ADvil.example",
  ])("a blocked domain is found in %s", (text) => {
    expect(hasBlockedDomain(blocks, text)).toBe(true);
  });

  it.each([
    "https://notevil.example",
    "https://evil.example.org",
    "https://example/evil",
    "evil example",
    "https://good.example/evil-example",
    "100% of 3.14 ...",
    "",
  ])("no blocked domain is found in %s", (text) => {
    expect(hasBlockedDomain(blocks, text)).toBe(false);
  });

  it("a domain is read as it is typed", () => {
    for (const typed of [
      "evil.example",
      " Evil.Example. ",
      "*.evil.example",
      "https://user@evil.example:80/x?y",
      "ｅｖｉｌ．ｅｘａｍｐｌｅ",
    ])
      expect([typed, toDomain(typed)]).toEqual([typed, "evil.example"]);
    expect(toDomain("悪.example")).toBe("xn--ndu.example");
    for (const typed of ["", "evil", "evil example", ".", "a..b", "https://", "x".repeat(300)])
      expect([typed, toDomain(typed)]).toEqual([typed, undefined]);
  });

  it("looking for domains takes time in proportion to the text", () => {
    for (const part of ["a", "a.", "%", "https://a", "ａ。", "@", "-.", "https:"])
      expect(growth(part, (text) => hasBlockedDomain(blocks, text))).toBeLessThan(8);
  });
});

describe("blocked words", () => {
  const blocks = toBlocks(["word:casino", "word:カジノ", "word:win big"]);

  it("a blocked word is found as muted words are", () => {
    for (const text of ["A CASINO!", "ｃａｓｉｎｏ", "新しいカジノです", "you win  big"])
      expect([text, hasBlockedWord(blocks, text)]).toEqual([text, true]);
    for (const text of ["casinos", "win", "", "bigwin big"])
      expect([text, hasBlockedWord(blocks, text)]).toEqual([text, false]);
  });

  it("accents and the other kana do not hide a blocked word, nor in the word as it was blocked", () => {
    for (const text of ["a Cásïnô", "casin\u00F8", "かじの", "ｶｼﾞﾉです", "ŵin bĩg"])
      expect([text, hasBlockedWord(blocks, text)]).toEqual([text, true]);
    for (const text of ["カシノ", "кино", "çasinos"])
      expect([text, hasBlockedWord(blocks, text)]).toEqual([text, false]);
    const accents = toBlocks(["word:café", "word:ёлка", "word:strasse"]);
    for (const text of ["CAFE", "café", "елка", "Straße"])
      expect([text, hasBlockedWord(accents, text)]).toEqual([text, true]);
    expect(isBlockedName(accents, "cafe_au_lait")).toBe(true);
  });

  it("invisible characters do not hide a blocked word", () => {
    const persian = toBlocks(["word:بی\u200Cادب"]);
    for (const hidden of [
      "\u200C",
      "\u200D",
      "\u034F",
      "\u3164",
      "\uFE01",
      "\u{E0101}",
      "\u180B",
    ]) {
      for (const text of [`a cas${hidden}ino`, `カ${hidden}ジノ`, `win big${hidden} now`])
        expect([escape(text), hasBlockedWord(blocks, text)]).toEqual([escape(text), true]);
      expect(hasBlockedWord(blocks, `cas${hidden}inos`)).toBe(false);
    }
    for (const text of ["بی\u200Cادب", "بیادب"]) expect(hasBlockedWord(persian, text)).toBe(true);
  });

  it("a text of joiners alone has no blocked word", () => {
    expect(hasBlockedWord(toBlocks(["word:\u200D"]), "plain text")).toBe(false);
  });

  it("a blocked word is found anywhere in a user name", () => {
    expect(isBlockedName(blocks, "best_Casinos_99")).toBe(true);
    expect(isBlockedName(blocks, "casi_no")).toBe(false);
  });
});

describe("blocked addresses", () => {
  it.each([
    ["192.0.2.7", "192.0.2.7/32"],
    ["192.0.2.0/24", "192.0.2.0/24"],
    [" 2001:DB8::/32 ", "2001:db8::/32"],
    ["2001:db8::1", "2001:db8::1/64"],
    ["2001:db8::1/128", "2001:db8::1/128"],
    ["::ffff:192.0.2.7", "192.0.2.7/32"],
    ["::ffff:192.0.2.0/120", "192.0.2.0/24"],
    ["0.0.0.0/0", undefined],
    ["10.0.0.0/7", undefined],
    ["::/0", undefined],
    ["::ffff:0.0.0.0/96", undefined],
    // Networks that hold all IPv4 addresses, as those of IPv6 are compared.
    ["::1", undefined],
    ["::/16", undefined],
    ["::ffff:c000:201", undefined],
    ["::ffff:0:0/96", undefined],
    ["::1/128", "::1/128"],
    ["192.0.2.7/33", undefined],
    ["192.0.2.7/24/1", undefined],
    ["192.0.2.7/", undefined],
    ["192.0.2", undefined],
    ["evil.example", undefined],
  ])("%s is the network %s", (typed, network) => {
    expect(toNetwork(typed)).toBe(network);
  });

  it("a bare IPv6 address blocks its /64, as the limits count it", () => {
    const { signUps } = toBlocks([`signup:${toNetwork("2001:db8:1:2::7")}`]);
    expect(holdsAddress(signUps, "2001:db8:1:2:ffff::9")).toBe(true);
    expect(holdsAddress(signUps, "2001:db8:1:3::7")).toBe(false);
  });

  it("an address is found in its network, in each of its forms", () => {
    const { signUps, everything } = toBlocks([
      "signup:192.0.2.0/24",
      "signup:2001:db8::/32",
      "address:198.51.100.7/32",
    ]);
    for (const address of ["192.0.2.99", "::ffff:192.0.2.99", "2001:db8:1::9", "2001:DB8::1%eth0"])
      expect([address, holdsAddress(signUps, address)]).toEqual([address, true]);
    for (const address of ["192.0.3.1", "2001:db9::1", "198.51.100.7", "", "nonsense"])
      expect([address, holdsAddress(signUps, address)]).toEqual([address, false]);
    expect(holdsAddress(everything, "198.51.100.7")).toBe(true);
  });
});
