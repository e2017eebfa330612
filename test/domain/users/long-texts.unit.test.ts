import { describe, expect, it } from "vitest";
import {
  cleanText,
  countGraphemes,
  fitsGraphemes,
  splitGraphemes,
} from "../../../src/domain/users/display-text.ts";

describe("texts as long as their limit", () => {
  it("a tweet of families fits, and a long text has few code units for each character", () => {
    expect(fitsGraphemes("👩🏽‍❤️‍💋‍👨🏿".repeat(280), 280)).toBe(true);
    const heavy = cleanText(`क${"ा".repeat(31)}`);
    expect(countGraphemes(heavy)).toBe(1);
    expect(fitsGraphemes(heavy.repeat(280), 280)).toBe(false);
    expect(fitsGraphemes(heavy.repeat(160), 1000)).toBe(false);
    expect(fitsGraphemes(heavy.repeat(300), 2000)).toBe(false);
  });

  it.each([
    ["Hindi", "सभी मनुष्यों को गौरव और अधिकारों के मामले में जन्मजात स्वतन्त्रता और समानता प्राप्त है। "],
    ["Thai", "มนุษย์ทั้งปวงเกิดมามีอิสระและเสมอภาคกันในเกียรติศักดิ์และสิทธิ "],
    ["Tamil", "மனிதப் பிறிவியினர் சகலரும் சுதந்திரமாகவே பிறக்கின்றனர்; அவர்கள் மதிப்பிலும் சமமானவர்கள். "],
    ["Tibetan", "འགྲོ་བ་མིའི་རིགས་རྒྱུད་ཡོངས་ལ་སྐྱེས་ཙམ་ཉིད་ནས་ཆེ་མཐོངས་དང༌། བསྒྲུབས་ "],
    ["Japanese", "すべての人間は、生まれながらにして自由であり、か\u3099き\u3099く\u3099。"],
    ["Hebrew with vowels", "בְּרֵאשִׁית בָּרָא אֱלֹהִים אֵת הַשָּׁמַיִם וְאֵת הָאָרֶץ "],
    ["Vietnamese, apart", "Tất cả mọi người sinh ra đều được tự do và bình đẳng ".normalize("NFD")],
  ])("a text in %s fits each limit exactly by its characters", (_, sentence) => {
    for (const limit of [50, 280, 1000, 2000]) {
      const pieces = splitGraphemes(cleanText(sentence.repeat(limit)), limit);
      expect(Math.max(...pieces.slice(0, -1).map(countGraphemes))).toBeGreaterThan(limit * 0.7);
    }
  });
});
