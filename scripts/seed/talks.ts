import { castPlace } from "./people.ts";

/** A line of a talk, see below. */
export interface Line {
  /** Place of the author in the cast. */
  by: number;
  /** Place among all lines of the one that it answers. */
  to: number | undefined;
  text: string;
  /** What its author said first; undefined for a line that was not edited. */
  before: string | undefined;
  /** The content warning. */
  warning: string | undefined;
  picture: { sketch: string; description: string } | undefined;
}

/**
 * What demo users say, oldest first, with an empty line between two talks. "> 2" answers the second line of the
 * talk. {one|other} is another word each time the talk comes round; {@mira} mentions a member of the cast.
 * [loaves: Bread] at the end is a picture of sketches.ts with its description, (Insects) at the beginning a content
 * warning. "First words => Better words" was edited.
 */
const script = `
wanda: Plot 1, thirty-one years. The gate still squeaks in the same key.

lio: The compost reached {61|58|64|60} °C this morning. I have never been so proud of a heap. #compost
wanda > 1: Turn it on Saturday, not before. It knows what it is doing.
lio > 2: I will sit on my hands until Saturday.

mame: {そら豆|えんどう豆|いんげん|枝豆}の花が咲きました。小さな舞台衣装のようです。 [flowers: 白と紫の豆の花が三本の茎に咲いている絵]
suzu > 1: きれいでしょうね。朝の光で見に行きます。
mame > 2: 九時ごろがいちばんです。お茶を持って行きますね。

otto: To the friend who has the {long rake|small spade|good hoe|blue bucket}: no hurry, but the gravel path misses it.
teo > 1: That is me. I took it for the other one, seen from close up.
otto > 2: Keep it until Sunday. The gravel can wait.

abel: Reading circle on {Thursday|Tuesday|Wednesday|Monday} at seven, in the shed behind plot 9. Chapter {twelve|three|eight|twenty}, where the gardener finally opens the letter. Bring a cushion. #ReadingCircle
nell > 1: I stopped one chapter earlier, on purpose. I want to be surprised together.
tsuki > 1: その章、昨日の夜に読んでしまいました。誰にも言いません。 #ReadingCircle
abel > 3: Thank you for keeping it to yourself, {@tsuki}. That must be hard.
tsuki > 4: とても、むずかしいです。

teo: My first {radish|carrot|strawberry|pea}! It is as big as a button, and the whole lane knows.
bruno > 1: Mine began like that, too. Then came the leek that took two of us to carry.
wanda > 1: Eat it today, with a little salt. The first one tastes best.
teo > 3: Gone in one bite. Worth every week of waiting.

bruno: The leek has been measured again. {88|91|86|90} centimetres. I told it to take its time. [leek: Drawing of a very long leek beside a ruler]

ines: {Rosemary|Walnut|Onion|Rye} loaves are in the oven, nine of them. The window of plot 4 is open, follow your nose. #baking
mira > 1: On my way, with quince jelly.
ines > 2: Then I am cutting the first one now.

teo: The rain barrel is full, for the first time {this year|this month|since May|this week}!
suzu > 1: 雀たちも、もう泳いでいます。

wanda: Seed swap this Saturday from ten. I bring {14|9|11|12} sorts of beans and one mystery envelope. #SeedSwap
mame > 1: 黒豆と枝豆を持って行きます。封筒の中身、気になります。 #SeedSwap
nell > 1: I can draw the labels. Tell me the names, and whether they are shy. [labels: Drawing of four paper labels: a sunflower, a pea pod, a poppy and a leek]
bruno > 3: (The leek, again) Leek seeds, from the big one. Draw it large, please. #SeedSwap
mira > 3: Mine are {sunflowers|poppies|marigolds|hollyhocks}. Not shy at all.

nell: Drew the herb bed from memory and put the {sage|mint|thyme|dill} on the wrong side. It looks better there, so now I have to move it.
abel > 1: Life follows art, but with a wheelbarrow.

suzu: 雀が{三|五|四|六}羽、水おけのふちに並んでいました。今日はとても静かな朝です。 #sparrows [sparrows: 朝日を背に、水おけのふちに並ぶ雀の絵]
mira > 1: We had {twelve|eleven|ten|nine} on the fence. They left when I counted aloud. #sparrows
suzu > 2: そんなに！数えるときは小さな声でどうぞ。
lio > 2: Where do they all sleep?
wanda > 4: Under the tiles of the tool shed, all in a row, since before I had my plot.

tsuki: 夜の雨の音を聞きながら、本を{三|二|四|五}章読みました。畑もよろこんでいるでしょう。

otto: {@mira} the {pumpkin|leek|tomato|bean} soup is ready when you are. There is a chair in the sun.

ines: {Five|Six|Seven|Four} loaves for the swap, and one for the strong person who carries the table. #SeedSwap [loaves: Drawing of five warm loaves in front of a window]
otto > 1: I have a strong bag. => I have a strong back and no other plans.
`;

/** The lines of all talks, one after the other. */
export const lines: Line[] = [];
for (const talk of script.trim().split("\n\n")) {
  const start = lines.length;
  for (const line of talk.split("\n")) {
    const [, by = "", to, warning, before, text = "", sketch, description = ""] =
      /^(\w+)(?: > (\d))?: (?:\(([^)]+)\) )?(?:(.+) => )?(.+?)(?: \[(\w+): (.+)\])?$/.exec(line) ??
      [];
    lines.push({
      by: castPlace(by),
      to: to === undefined ? undefined : start + Number(to) - 1,
      text,
      before,
      warning,
      picture: sketch === undefined ? undefined : { sketch, description },
    });
  }
}

/** A text when its talk comes round for the nth time; `nameOf` gives the name of a place in the cast. */
export function textOf(text: string, round: number, nameOf: (place: number) => string): string {
  return text.replaceAll(/\{([^{}]+)\}/g, (_, inside: string) => {
    if (inside.startsWith("@")) return `@${nameOf(castPlace(inside.slice(1)))}`;
    const words = inside.split("|");
    return words[round % words.length] ?? "";
  });
}
