import * as fc from "fast-check";

const kana = /^[あ-んー雀鳩パン日本語]+$/;

/** The same for "cats" and "cat", "café" and "cafe". */
const plain = (word: string) => word.replace("é", "e").replace(/s$/, "");

/** What a text holds, told without any of the code under test: spaces stand between all its parts. */
export function holds(text: string, word: string): boolean {
  const parts = text.split(" ");
  if (word.startsWith("#")) return parts.includes(word);
  const bare = parts.map((part) => part.replace(/^#/, ""));
  if (word.startsWith('"')) return ` ${bare.join(" ")} `.includes(` ${word.slice(1, -1)} `);
  return kana.test(word)
    ? bare.some((part) => part.includes(word))
    : bare.some((part) => plain(part) === plain(word));
}

const english = ["a", "cat", "cats", "sparrow", "bread", "café", "cafe"];
const japanese = [
  "雀の",
  "パン",
  "パンパン",
  "日本語",
  "本日",
  "雀の日本語パン",
  "語",
  "#日本",
  "#cat",
];
export const someText = fc
  .array(fc.constantFrom(...english, ...japanese), { minLength: 1, maxLength: 6 })
  .map((parts) => parts.join(" "));
const inRuns = ["雀の", "パン", "ンパ", "日本", "本語", "日本語", "語パ", "語", "雀"];
const others = ['"cat"', '"a cat"', '"sparrow bread cats"', "#cat", "#日本"];
/** What is searched for: words, parts of runs, phrases, hashtags. */
export const someWords = fc.uniqueArray(fc.constantFrom(...english, ...inRuns, ...others), {
  minLength: 1,
  maxLength: 3,
});
