import sharp from "sharp";

/** Drawn pictures for demo users: faces of gardeners, a sparrow, hills, a turnip. No real person looks like them. */
const grounds = ["#dbe8d0", "#f6e3c5", "#d3e4ee", "#f3d6cc", "#e4dcf0", "#d5ebe6", "#f7ecc4"];
const skins = ["#f6d3b8", "#c98d62", "#eec19b", "#8d5a3b", "#f3cdb0", "#a9714b"];
const shirts = ["#4f7d5c", "#c2613f", "#3f6f93", "#b98528", "#7a5c8e", "#4c8783", "#a84b5c"];
const hairs = ["#3a2a20", "#8a5630", "#b5793a", "#94908d", "#1f1d24", "#a3452c", "#d9b26f"];

/** In the colour of the hair: behind the head, and in front of it. */
const styles: readonly { back?: string; front: string }[] = [
  { front: "M28 46C25 24 36 16 49 16s23 8 19 30c-2-9-5-13-11-15-9 4-18 3-23 3-3 2-5 6-6 12z" },
  {
    back: "M24 64C19 22 34 12 48 12s29 10 24 52c-5 4-9 3-11-2H35c-2 5-6 6-11 2z",
    front: "M29 43c0-17 10-23 19-23s19 6 19 23c-7-8-12-10-19-10s-12 2-19 10z",
  },
  {
    back: "M38 12a10 10 0 1 0 20 0a10 10 0 1 0-20 0z",
    front: "M28 45c-1-21 10-28 20-28s21 7 20 28c-4-10-11-14-20-14s-16 4-20 14z",
  },
  {
    front:
      "M27 43a8 8 0 0 1 3-14a9 9 0 0 1 12-10a10 10 0 0 1 14 0a9 9 0 0 1 11 10a8 8 0 0 1 2 14c-4-8-9-11-21-11s-17 3-21 11z",
  },
  {
    back: "M22 86C17 30 32 12 48 12s31 18 26 74c-8 3-13 0-14-8H36c-1 8-6 11-14 8z",
    front: "M28 47c-2-21 9-29 20-29c-3 10-12 15-20 29zm40 0c2-21-9-29-20-29c3 10 12 15 20 29z",
  },
  { front: "M28 49c-2-6-1-12 1-16c3 2 3 9 2 16zm40 0c2-6 1-12-1-16c-3 2-3 9-2 16z" },
];

/** Worn over the hair: a straw hat, a woollen cap, a scarf. */
const hats = [
  path("M33 29c0-13 6-18 15-18s15 5 15 18z", "#e3bd6b") +
    '<ellipse cx="48" cy="29" rx="31" ry="6" fill="#eccb80"/>' +
    path("M33 28q15 5 30 0v-5q-15 5-30 0z", "#a84b5c"),
  path("M27 36c0-18 10-24 21-24s21 6 21 24q-21-7-42 0z", "#3f6f93") + circle(48, 10, 5, "#d3e4ee"),
  path("M66 34l13-3-6 13z", "#9c4a2e") +
    path("M27 41c-1-21 10-28 21-28s22 7 21 28q-9-12-21-12t-21 12z", "#c2613f"),
];

const glasses = [circle(40, 47, 6.5), circle(56, 47, 6.5), '<path d="M46.500 46q1.500-1 3 0"/>'];

const sparrow = [
  path("M0 76q48-12 96 0v20H0z", "#a9c58f"),
  '<path d="M42 78v9m11-9v9" stroke="#7a5236" stroke-width="2.500"/>',
  path("M16 66l16-16 8 14z", "#6f472c"),
  path("M24 60c0-18 14-34 32-34c13 0 20 9 20 20c0 22-14 34-30 34c-14 0-22-8-22-20z", "#e9dcc8"),
  path(
    "M36 40c4-10 12-14 20-14c13 0 20 8 20 18c-10-8-18-4-24 6s-16 18-26 16c-4-8 4-16 10-26z",
    "#94603c",
  ),
  circle(63, 43, 3, "#241a14") + circle(57, 53, 5, "#5b3a28"),
  path("M75 43l11 4-11 5z", "#4a3a30"),
];
const hills = [
  circle(66, 32, 12, "#f2b35d"),
  path("M0 66q26-26 52-6t44-8v44H0z", "#8fb08a"),
  path("M0 80q30-18 60-4t36-6v26H0z", "#5f8f6a"),
];
const turnip = [
  path(
    "M46 36C40 18 30 14 22 16c4 12 12 18 24 20zm4 0C48 20 54 10 62 8c4 12 0 22-12 28zm0 2c8-14 18-16 26-12c-4 10-14 14-26 12z",
    "#5f8f5c",
  ),
  path("M48 34c18 0 28 10 28 22c0 16-18 22-28 36c-10-14-28-20-28-36c0-12 10-22 28-22z", "#f3ece2"),
  path("M48 34c18 0 28 10 28 20c-18 8-38 8-56 0c0-10 10-20 28-20z", "#b5587e"),
];
const scenes = [sparrow, hills, turnip];

/** Chosen for the cast of people.ts; `scene` instead of a face. Others get one by their number. */
const looks: readonly Look[] = [
  { style: 1, hair: 5, skin: 0, shirt: 0, glasses: true },
  { style: 5, hair: 3, skin: 2, shirt: 2, beard: true },
  { style: 2, hair: 4, skin: 4, shirt: 5 },
  { style: 4, hair: 2, skin: 2, shirt: 1, hat: 2 },
  { style: 3, hair: 0, skin: 3, shirt: 3 },
  { scene: 0 },
  { style: 1, hair: 3, skin: 0, shirt: 6, hat: 0 },
  { style: 0, hair: 1, skin: 5, shirt: 4, glasses: true, beard: true },
  { style: 0, hair: 0, skin: 1, shirt: 5, hat: 1 },
  { style: 4, hair: 4, skin: 4, shirt: 4 },
  { style: 3, hair: 5, skin: 0, shirt: 2 },
  { scene: 2 },
];

interface Look {
  scene?: number;
  style?: number;
  hair?: number;
  skin?: number;
  shirt?: number;
  hat?: number;
  glasses?: boolean;
  beard?: boolean;
}

/** The picture of the nth demo user, as a PNG. */
export async function portrait(nth: number): Promise<Buffer> {
  return await sharp(Buffer.from(draw(nth)))
    .png()
    .toBuffer();
}

/** As SVG, of 96 × 96 units; a circle of it is shown. */
function draw(nth: number): string {
  const look = looks[nth] ?? lookOf(nth);
  const inside = look.scene === undefined ? face(look) : at(scenes, look.scene).join("");
  const ground = at(grounds, look.scene === 1 ? 5 : nth * 3);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 96 96" width="192" height="192"><rect width="96" height="96" fill="${ground}"/>${inside}</svg>`;
}

function lookOf(nth: number): Look {
  if (nth % 9 === 8) return { scene: Math.floor(nth / 9) };
  const look = { style: nth * 5, hair: nth * 3, skin: nth * 7, shirt: nth * 2 };
  const isShort = [0, 3, 5].includes(look.style % styles.length);
  const hat = nth % 5 === 2 ? { hat: nth } : {};
  return { ...look, ...hat, glasses: nth % 4 === 1, beard: isShort && nth % 3 === 0 };
}

function face({ style = 0, hair = 0, skin = 0, shirt = 0, hat, ...worn }: Look): string {
  const { back = "", front } = at(styles, style);
  const [skinColour, hairColour, shirtColour] = [
    at(skins, skin),
    at(hairs, hair),
    at(shirts, shirt),
  ];
  return [
    path(back, hairColour),
    `<ellipse cx="48" cy="102" rx="37" ry="30" fill="${shirtColour}"/>`,
    path("M41 60h14v14q-7 7-14 0z", skinColour),
    path("M41 66q7 6 14 0v4q-7 6-14 0z", "#0002"),
    circle(29, 48, 4, skinColour) + circle(67, 48, 4, skinColour),
    `<ellipse cx="48" cy="46" rx="19.500" ry="22.500" fill="${skinColour}"/>`,
    worn.beard === true
      ? path("M29 50c0 17 8 24 19 24s19-7 19-24c-4 8-10 8-19 8s-15 0-19-8z", hairColour)
      : "",
    circle(40, 47, 2.3, "#2a1f18") + circle(56, 47, 2.3, "#2a1f18"),
    circle(36, 54, 3.5, "#e0603a33") + circle(60, 54, 3.5, "#e0603a33"),
    '<g fill="none" stroke="#2a1f18" stroke-linecap="round" stroke-width="1.600">',
    `<path d="M42 59q6 5 12 0"${worn.beard === true ? ' stroke="#fff"' : ""}/>`,
    `${worn.glasses === true ? glasses.join("") : ""}</g>`,
    path(front, hairColour),
    hat === undefined ? "" : at(hats, hat),
  ].join("");
}

export function path(d: string, fill: string): string {
  return d === "" ? "" : `<path d="${d}" fill="${fill}"/>`;
}

export function circle(x: number, y: number, r: number, fill = "none"): string {
  return `<circle cx="${x}" cy="${y}" r="${r}" fill="${fill}"/>`;
}

function at<Item>(items: readonly Item[], index: number): Item {
  return items[index % items.length] as Item;
}
