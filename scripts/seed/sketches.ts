import sharp from "sharp";
import { circle, path } from "./portraits.ts";

/** Drawn pictures for demo tweets, of 900 × 600 units. */
const sketches: Readonly<Record<string, string>> = {
  loaves: [
    ground("#f4e6cf", "#c99a63"),
    path("M90 60h300v250H90z", "#bcdcea") + path("M90 210q80-60 150-20t150-20v140H90z", "#9cbf8b"),
    line("M90 60h300v250H90zM240 60v250M90 185h300", "#fdf8ee", 16),
    ...[0, 1, 2].map((nth) => loaf(150 + nth * 215, 430 - (nth % 2) * 14)),
    ...[0, 1].map((nth) => loaf(262 + nth * 215, 500)),
    line("M520 330c-20-30 20-50 0-90M600 320c-20-30 20-50 0-90", "#fffaf0", 9),
  ].join(""),
  flowers: [
    ground("#dcebf2", "#a9c58f"),
    ...[160, 420, 690].map((x) =>
      line(`M${x} 600C${x - 30} 420 ${x + 40} 300 ${x} 90`, "#5f8f5c", 12),
    ),
    ...[0, 1, 2, 3, 4, 5, 6, 7, 8].map((nth) => {
      const x = 160 + (nth % 3) * 263;
      const y = 130 + Math.floor(nth / 3) * 140 + (nth % 3) * 24;
      return leaf(x, y + 60, nth % 2 === 0 ? 1 : -1) + beanFlower(x, y);
    }),
  ].join(""),
  leek: [
    ground("#efe6da", "#b98a5a"),
    path(
      "M560 300C680 200 800 130 880 60c10 60-20 120-60 160c40-10 60-10 80 0c-60 60-180 110-320 120z",
      "#4f7d5c",
    ),
    path("M540 310C640 300 760 330 880 400c-70 30-220 10-330-30z", "#5f9468"),
    path("M130 300q200-30 440-10v80q-240 20-440-10q-30-30 0-60z", "#f3f5e4"),
    path("M430 288l150-8v96l-150 0z", "#b9d19c"),
    line("M132 310l-70-30M126 330l-80 0M132 350l-66 34", "#d9c9ad", 5),
    path("M60 470h780v60H60z", "#f2d27a"),
    ...Array.from({ length: 25 }, (_, nth) =>
      line(`M${80 + nth * 31} 470v${nth % 5 === 0 ? 34 : 20}`, "#6b4e20", 4),
    ),
  ].join(""),
  labels: [
    ground("#f7efe2", "#e4d3b8"),
    ...[0, 1, 2, 3].map((nth) => {
      const [x, y] = [90 + nth * 190, 150 + (nth % 2) * 60];
      const tag = path(`M${x} ${y + 50}l75-50 75 50v250h-150z`, at(["#fffdf6", "#fbeed6"], nth));
      return (
        tag +
        circle(x + 75, y + 44, 11, "#b98a5a") +
        line(`M${x + 75} ${y + 34}q10-70 60-110`, "#b98a5a", 4)
      );
    }),
    flower(165, 330, "#e7b73c") +
      beanPod(355, 390) +
      flower(545, 330, "#c2613f") +
      smallLeek(735, 400),
    path("M120 540l230-26 4 16-230 26z", "#3f6f93") + path("M350 514l34 4-30 12z", "#2a1f18"),
  ].join(""),
  sparrows: [
    ground("#f9e3c9", "#8fb08a"),
    circle(690, 170, 70, "#f6c26b"),
    path("M0 330q200-90 420-20t480-30v170H0z", "#a9c58f"),
    ...[120, 290, 470, 640].map((x, nth) => sparrow(x, 268 + (nth % 2) * 6, nth === 2 ? -1 : 1)),
    path("M60 400h780l-40 150H100z", "#7d8f99") + path("M60 400h780v26H60z", "#a7b6bd"),
  ].join(""),
};

/** The picture of this name, as a JPEG of 1,800 × 1,200. Throws for a name that there is not. */
export async function sketch(name: string): Promise<Buffer> {
  const inside = sketches[name];
  if (inside === undefined) throw new Error(`There is no sketch called ${name}.`);
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 900 600" width="1800" height="1200">${inside}</svg>`;
  return await sharp(Buffer.from(svg)).jpeg({ quality: 90 }).toBuffer();
}

function ground(wall: string, table: string): string {
  return path("M0 0h900v600H0z", wall) + path("M0 450h900v150H0z", table);
}

function loaf(x: number, y: number): string {
  return (
    path(`M${x} ${y}c-14-70 50-96 104-96s118 26 104 96q-104 26-208 0z`, "#a9683a") +
    path(`M${x + 14} ${y - 14}c0-46 40-66 90-66s92 20 90 66q-90-26-180 0z`, "#c98a52") +
    line(`M${x + 60} ${y - 40}l26-34m8 40l26-36m8 38l26-32`, "#f6dfb8", 8)
  );
}

function leaf(x: number, y: number, side: 1 | -1): string {
  return path(
    `M${x} ${y}q${side * 40}-60 ${side * 110}-20q${side * -30} 60 ${side * -110} 20z`,
    "#6f9f68",
  );
}

function beanFlower(x: number, y: number): string {
  return (
    path(
      `M${x} ${y}c-50-10-56-60-20-66c16-2 20 10 20 20c0-10 8-24 24-20c34 8 26 58-24 66z`,
      "#fbf7ff",
    ) +
    path(`M${x} ${y}c-24-6-24-34 0-40c24 6 24 34 0 40z`, "#8d6bb0") +
    circle(x, y - 14, 7, "#3c2a52")
  );
}

function flower(x: number, y: number, colour: string): string {
  const petals = Array.from({ length: 12 }, (_, nth) => {
    const angle = (nth * Math.PI) / 6;
    return circle(
      Math.round(x + 38 * Math.cos(angle)),
      Math.round(y + 38 * Math.sin(angle)),
      15,
      colour,
    );
  });
  return line(`M${x} ${y + 40}v70`, "#5f8f5c", 9) + petals.join("") + circle(x, y, 28, "#6f472c");
}

function beanPod(x: number, y: number): string {
  const beans = [-34, -4, 26].map((shift) => circle(x + 10, y + shift, 13, "#9cc08a"));
  return (
    path(`M${x} ${y - 70}c50 30 50 120 0 150c-16-40-16-110 0-150z`, "#5f8f5c") + beans.join("")
  );
}

function smallLeek(x: number, y: number): string {
  return (
    path(`M${x - 12} ${y - 20}h26v100q-13 10-26 0z`, "#f3f5e4") +
    path(`M${x - 12} ${y - 20}l-34-90 44 60 4-80 12 80 40-56-26 86z`, "#4f7d5c")
  );
}

/** The sparrow of the portraits is close up; these sit side by side. */
function sparrow(x: number, y: number, side: 1 | -1): string {
  const body = [
    line("M42 100v34m16-34v34", "#7a5236", 5),
    path("M-24 96l36-30 18 26z", "#6f472c"),
    path("M-4 84c0-40 28-66 62-66c26 0 40 18 40 40c0 42-28 62-60 62c-26 0-42-16-42-36z", "#e9dcc8"),
    path(
      "M18 46c8-22 24-30 40-30c26 0 40 16 40 36c-20-16-36-8-48 12s-32 32-52 32c-8-16 8-28 20-50z",
      "#94603c",
    ),
    circle(74, 48, 6, "#241a14"),
    circle(62, 68, 9, "#5b3a28"),
    path("M98 48l22 8-22 10z", "#4a3a30"),
  ].join("");
  return `<g transform="translate(${side === 1 ? x : x + 96} ${y}) scale(${side} 1)">${body}</g>`;
}

function line(d: string, colour: string, width: number): string {
  return `<path d="${d}" fill="none" stroke="${colour}" stroke-width="${width}" stroke-linecap="round" stroke-linejoin="round"/>`;
}

function at<Item>(items: readonly Item[], index: number): Item {
  return items[index % items.length] as Item;
}
