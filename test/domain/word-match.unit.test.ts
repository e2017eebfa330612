import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { foldSpelling, foldWords, holdsWord } from "../../src/domain/word-match.ts";
import { growth } from "../support/inspect/growth.ts";
import { runs } from "../support/models/property-runs.ts";

const holds = (text: string, word: string) => holdsWord(foldWords(text), foldWords(word));

describe("a muted word", () => {
  it.each([
    ["The cat sat", "cat"],
    ["CAT!", "cat"],
    ["cat", "CAT"],
    ["ｃａｔ walk", "cat"],
    ["my cat's tail", "cat"],
    ["(cat)", "cat"],
    ["concatenate a cat", "cat"],
    ["猫cat猫", "cat"],
    ["good\n  morning all", "good morning"],
    ["黒猫が好き", "猫"],
    ["北京大学", "京大"],
    ["ﾗｰﾒﾝ食べたい", "ラーメン"],
    ["고양이가 좋아", "고양이"],
    ["Ünlü ŞARKI", "şarkı".replace("ı", "i")],
    ["don’t do that", "don't"],
    ["with #Cats today", "cats"],
    ["with #Cats today", "#cats"],
    ["＃日本語 です", "#日本語"],
    ["#日本語", "日本"],
    ["ask @Bob now", "@bob"],
    ["@bobさん", "@bob"],
    ["ask @Bob now", "bob"],
    ["I ❤️ it", "❤"],
    ["C++ is fun", "c++"],
    ["ΟΔΟΣ", "οδός".normalize("NFD").replaceAll("\u0301", "")],
    ["see https://spoiler.example/a", "spoiler"],
  ])("a muted word is found: %j holds %j", (text, word) => {
    expect(holds(text, word)).toBe(true);
  });

  it.each([
    ["concatenate", "cat"],
    ["cats", "cat"],
    ["tomcat", "cat"],
    ["cat_fish", "cat"],
    ["cat9", "cat"],
    ["école", "cole"],
    ["می‌خواهم", "می"],
    ["good old morning", "good morning"],
    ["with #catsanddogs", "#cats"],
    ["#日本語", "#日本"],
    ["no tag: a#cats", "#cats"],
    ["cats", "#cats"],
    ["@bobby", "@bob"],
    ["mail@bob", "@bob"],
    ["bob", "@bob"],
    ["", "cat"],
    ["𝔞𠮷", "猫"],
  ])("a muted word is not found: %j does not hold %j", (text, word) => {
    expect(holds(text, word)).toBe(false);
  });

  it("a muted word is found in any case and width and next to punctuation, as in a naive model", () => {
    const spaced = fc.stringMatching(/^[a-zé0-9]{1,4}$/);
    const token = fc.oneof(spaced, fc.constantFrom("猫", "犬", "ラ", "!", "-", "🐦"));
    const texts = fc.array(token, { maxLength: 12 });
    fc.assert(
      fc.property(
        texts,
        fc.stringMatching(/^[a-zé0-9]{1,2}$/),
        fc.boolean(),
        (tokens, word, up) => {
          const text = tokens.join("");
          // The words of such a text are its longest runs of letters and digits.
          const words = foldWords(text).split(/[^a-zé0-9]+/);
          expect(holds(up ? text.toUpperCase() : text, word)).toBe(words.includes(foldWords(word)));
        },
      ),
      runs(500),
    );
  });

  it("a muted word in a script without spaces is found anywhere", () => {
    const text = fc.string({ unit: fc.constantFrom("猫", "犬", "ー", "カ", "a", " ", "吉", "𠮷") });
    const word = fc.string({
      unit: fc.constantFrom("猫", "犬", "カ", "𠮷"),
      minLength: 1,
      maxLength: 3,
    });
    fc.assert(
      fc.property(text, word, (whole, part) => {
        expect(holds(whole, part)).toBe(whole.includes(part));
      }),
      runs(500),
    );
  });

  it("a muted word is folded once", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const folded = foldWords(text);
        expect(holdsWord(folded, folded)).toBe(true);
        expect(foldWords(folded)).toBe(folded);
      }),
      runs(1000),
    );
  });

  it("a spelling is folded once, and marks of other scripts stay", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const folded = foldSpelling(foldWords(text));
        expect(foldSpelling(folded)).toBe(folded);
      }),
      runs(1000),
    );
    for (const text of ["が", "کتابُ", "हिन्दी", "ไทยนี้"]) expect(foldSpelling(text)).toBe(text);
  });

  it.each([
    ["aaaaaaaaab", "a"],
    ["aaaaaaaaab", `${"a".repeat(49)}c`],
    ["a ", "a a a a a a a a a a"],
    ["#a", "#a"],
    ["@a @", "@a"],
    ["猫", "猫".repeat(50)],
    [" \u200D\uFE0F", "x"],
    ["ﬃ ", "ffi"],
  ])("muted words take linear time in a text of %j for %j", (unit, word) => {
    expect(growth(unit, (text) => holds(text, word))).toBeLessThan(9);
  });
});
