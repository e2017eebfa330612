/** A demo user: a member of the allotment garden and reading circle of Sparrow Lane, which do not exist. */
export interface DemoPerson {
  /** To log in with, and for mentions. */
  name: string;
  fullname: string;
  bio: string;
}

/** The first demo users, each with lines of their own in talks.ts. One in a line: name, full name, bio. */
const cast = `
mira_quince, Mira Quince, Demo gardener of plot 7. Quinces and sunflowers and far too many books.
otto_marrow, Otto Marrow, Demo gardener. I keep the tool shed and the list of who has the rake.
mame_hatanaka, 畑中まめ, デモの畑、三番。豆と本とお茶が好きです。
ines_fennel, Ines Fennel, Demo baker of plot 4. Bread on Sundays. Follow your nose.
teo_radish, Teo Radish, Demo gardener in my first year. Everything is exciting.
suzu_niwano, 庭野すず, デモの庭の雀係。毎朝、数えています。
wanda_parsnip, Wanda Parsnip, Demo gardener of plot 1 for thirty-one years.
abel_plum, Abel Plum, Demo librarian. The reading circle meets in the shed behind plot 9.
lio_sorrel, Lio Sorrel, Demo gardener. Ask me about compost. Please ask me about compost.
tsuki_ogawa, 小川つき, デモの読書会。夜に読んで、朝に水をやります。
nell_thyme, Nell Thyme, Demo gardener of plot 12. Herbs and ink and watercolour.
bruno_leek, Bruno Leek, Demo gardener. Yes: that leek.`
  .trim()
  .split("\n")
  .map((line): DemoPerson => {
    const [name = "", fullname = "", bio = ""] = line.split(", ");
    return { name, fullname, bio };
  });

/** The places in the cast of those who write Japanese; it is the same with all later demo users. */
const japanese = [2, 5, 9];
export const castSize = cast.length;

const firsts = split(
  "Ada Bo Cleo Dora Emil Fay Gus Hedy Ilse Jon Kaya Lars Moe Nia Olaf Pia Rufo Sol Tuva Udo",
);
const families = split(
  "Aster Beet Chard Dill Endive Figg Gourd Hazel Iris Kale Lovage Medlar Nettle Olive Pea Rue Sage Teasel Vetch Willow",
);
/** As they are written, and in Latin letters. */
const japaneseFirsts = split("そら=sora はな=hana ゆき=yuki あき=aki りん=rin うめ=ume もも=momo");
const japaneseFamilies = split("庭野=niwano 畑野=hatano 小川=ogawa 野原=nohara 花田=hanada");

function split(words: string): string[] {
  return words.split(" ");
}

/** The nth demo user, the same each time. There is no end of them; names do not repeat. */
export function demoPerson(nth: number): DemoPerson {
  const member = cast[nth];
  if (member !== undefined) return member;
  const place = japanese.indexOf(nth % castSize);
  if (place === -1) {
    const [first, family, again] = pairOf(firsts, families, nth);
    const name = `${first}_${family}${again}`.toLowerCase();
    return { name, fullname: `${first} ${family}`, bio: `Demo gardener of plot ${nth + 1}.` };
  }
  const turn = Math.floor(nth / castSize) * japanese.length + place;
  const [first, family, again] = pairOf(japaneseFirsts, japaneseFamilies, turn);
  const [[given, latinFirst], [surname, latinFamily]] = [first.split("="), family.split("=")];
  const name = `${latinFirst}_${latinFamily}${again}`;
  return { name, fullname: `${surname}${given}`, bio: `デモの畑、${nth + 1}番。` };
}

/** Another pair for each number; once there are no more, with a sign after it. */
function pairOf(some: string[], others: string[], nth: number): [string, string, string] {
  const row = Math.floor(nth / some.length);
  const round = Math.floor(row / others.length);
  const one = some[nth % some.length] ?? "";
  const other = others[(nth + row) % others.length] ?? "";
  return [one, other, round === 0 ? "" : round.toString(36)];
}

/** The place in the cast of the member whose name begins like this. */
export function castPlace(first: string): number {
  const place = cast.findIndex(({ name }) => name.startsWith(`${first}_`));
  if (place === -1) throw new RangeError(`no ${first} in the cast`);
  return place;
}
