import { expect, it } from "vitest";
import { meLinks } from "../../src/fetch/page.ts";
import { growth } from "../support/inspect/growth.ts";

const base = "https://ann.example/about/";
const links = (html: string) => meLinks(html, base).map(({ href }) => href);

it.each([
  ['<a rel="me" href="https://bird.example/@ann">', "https://bird.example/@ann"],
  [
    "<A HREF='https://bird.example/@ann?a=1&amp;b=2' REL='nofollow  ME'>",
    "https://bird.example/@ann?a=1&b=2",
  ],
  ["<link rel=me href=https://bird.example/@ann>", "https://bird.example/@ann"],
  ['<a title="a > b" rel="me" href="../@ann">', "https://ann.example/@ann"],
  ['<!-- <a> --><p>1 < 2<a rel="me" href="/x">', "https://ann.example/x"],
])("a link that a browser sees is found: %s", (html, href) => {
  expect(links(html)).toEqual([href]);
});

it.each([
  '<a href="https://bird.example/@ann">',
  '<a rel="home" href="https://bird.example/@ann">',
  '<b rel="me" href="https://bird.example/@ann">',
  '<!-- <a rel="me" href="/x"> -->',
  '<!-- <a rel="me" href="/x">',
  `<input value='<a rel="me" href="/x">'>`,
  `<meta content="<a rel=me href=/x>">`,
  `<title><a rel="me" href="/x"></title>`,
  `<script>"<a rel='me' href='/x'>"</script>`,
  `<textarea><a rel="me" href="/x">`,
  `<p title="<a rel=me href=/x>`,
  '<a rel="me" href="http://[">',
  "&lt;a rel=me href=/x&gt;",
])("what a browser shows as no link is none: %s", (html) => {
  expect(links(html)).toEqual([]);
});

it.each(["<a ", "<!--", '<a "', "<a '", "<title>", "<", "<a a=", "<a a=\"<a b='"])(
  "half a megabyte of %s is read at once",
  (piece) => {
    expect(links(piece.repeat(Math.ceil(500_000 / piece.length)))).toEqual([]);
  },
);

it("the time of a tag with an endless name is proportional to its length", () => {
  expect(growth("a", (name) => links(`<${name}`))).toBeLessThan(10);
  expect(links(`<${"a".repeat(500_000)}`)).toEqual([]);
});
