const openings = [
  "Demo tweet: the kettle is on",
  "Demo tweet: rain on the roof again",
  "Demo tweet: found a better way to sort the shelf",
  "Demo tweet: 今日はとても静かな朝です",
  "Demo tweet: a train was on time",
  "Demo tweet: counted seven sparrows at the window 🐦",
  "Demo tweet: the bread came out well",
  "Demo tweet: 雀が三羽、庭に来ました",
  "Demo tweet: reading beats scrolling",
  "Demo tweet: somebody left a note at https://example.com/notes",
];

const endings = [
  "",
  ", and that is enough.",
  ". More tomorrow.",
  ".\nSecond line, to see how it looks.",
  " 🙂",
  ". #demo",
];

/** The text of the nth demo tweet, plainly that of a demo. */
export function demoText(nth: number): string {
  const opening = openings[nth % openings.length] ?? "Demo tweet";
  const ending = endings[Math.floor(nth / openings.length) % endings.length] ?? "";
  return `${opening}${ending} (${nth + 1})`;
}
