/** Words with the look of a plural that mean something else without their s. */
const noPlurals = new Set(["news"]);

/**
 * The form in which English words are found: singular and plural of a regular noun have the same, "boxes" and
 * "box", "cities" and "city". It need not be a word ("house" gives "hous"). Short words, words of other alphabets,
 * and words in -is or -us stay as they are. Give it folded text. The stem of a stem is the stem itself.
 *
 * A rule instead of a library: Porter's stemmer, which the packages on npm implement, also takes "university" for
 * "universe" and "news" for "new". Reasons: docs/decisions/0044-search-finds-what-people-type.md.
 */
export function stemOf(word: string): string {
  if (word.length < 4 || noPlurals.has(word) || !/^[a-z]+$/.test(word)) return word;
  const singular = /[^isu]s$/.test(word) ? word.slice(0, -1) : word;
  if (singular.length < 4) return singular;
  // A plural in -es looks like that of a word in -e, so those lose their e, too.
  if (/(?:[ox]|[cs]h|ss|us)e$/.test(singular)) return singular.slice(0, -1);
  return singular.replace(/(?<=[^aeiou])ie$/, "y");
}
