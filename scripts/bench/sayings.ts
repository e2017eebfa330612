/** Made-up texts whose words are as unevenly common as those of a language. */
export interface Vocabulary {
  /** The word of a rank, 0 for the commonest. */
  word(rank: number): string;
  words: number;
  join: string;
  /** Min and max characters of a text. */
  least: number;
  most: number;
}

const syllables = "ka ri to mo se na wi lu be do shi ra no te fu ga pi zo ye hu".split(" ");
const kana = "のはにをたがでてとしれさいるあなかもっすりこうそまよけ";

function englishWord(rank: number): string {
  let word = "";
  for (let rest = rank + 21; rest > 0; rest = Math.floor(rest / syllables.length))
    word += syllables[rest % syllables.length];
  return word;
}

/** Two to four characters: kanji and kana. */
function japaneseWord(rank: number): string {
  const kanji = String.fromCodePoint(0x4e00 + ((rank * 7) % 2100));
  const other = String.fromCodePoint(0x4e00 + ((rank * 131) % 2100));
  const end = kana[rank % kana.length] ?? "";
  return rank % 3 === 0 ? `${kanji}${end}` : `${kanji}${other}${end}`;
}

export const languages = {
  english: { word: englishWord, words: 20_000, join: " ", least: 60, most: 120 },
  japanese: { word: japaneseWord, words: 20_000, join: "", least: 60, most: 100 },
} as const satisfies Record<string, Vocabulary>;

export type Language = keyof typeof languages;

/** The same in every run. One in three has "oddly" or, never the same, "evenly" in it. */
export function sayings(language: Language, count: number): string[] {
  const { word, words, join, least, most }: Vocabulary = languages[language];
  const random = randomFrom(7);
  return Array.from({ length: count }, (_, nth) => {
    const length = least + random() * (most - least);
    let text = language === "english" && nth % 3 < 2 ? ["oddly", "evenly"][nth % 3] : "";
    // Of equal shares of the logarithm of ranks: Zipf's law.
    while ((text ?? "").length < length) text += join + word(Math.floor(words ** random()) - 1);
    return (text ?? "").trim().slice(0, most);
  });
}

/** Numbers from 0 to 1: a linear congruential generator. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return state / 4_294_967_296;
  };
}
