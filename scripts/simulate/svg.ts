/** A line or a row of bars. A value that is undefined is left out. */
export interface Series {
  name: string;
  values: (number | undefined)[];
}

export interface Chart {
  title: string;
  /** What the figures are: "ms". */
  unit: string;
  /** Below the values, from left to right. */
  labels: string[];
  series: Series[];
  kind: "lines" | "stacked" | "bars";
  /** Powers of ten are at equal distances; only for lines. */
  isLog?: boolean;
  /** Horizontal lines. */
  marks?: number[];
}

const width = 760;
const height = 340;
const box = { left: 74, right: 740, top: 66, bottom: 290 };
/** Told apart by colour-blind readers too (Okabe and Ito). */
const colours = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#555555"];
const colourOf = (nth: number) => colours[nth % colours.length] ?? "#555555";

/** A chart as an SVG image: no script, no link, no font of its own. */
export function drawChart(chart: Chart): string {
  const scale = scaleOf(chart);
  const parts = [
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
    text(box.left, 24, chart.title, 'font-size="16" font-weight="bold"'),
    ...legend(chart),
    ...scale.ticks.flatMap((value) => [
      line(box.left, scale.y(value), box.right, scale.y(value), "#dddddd"),
      text(box.left - 8, scale.y(value) + 4, shortNumber(value), 'text-anchor="end"'),
    ]),
    ...(chart.marks ?? []).map((value) =>
      line(box.left, scale.y(value), box.right, scale.y(value), "#d55e00"),
    ),
    ...labels(chart),
    ...(chart.kind === "lines" ? lines(chart, scale) : bars(chart, scale)),
    line(box.left, box.bottom, box.right, box.bottom, "#333333"),
  ];
  const size = `width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"`;
  const font = 'font-family="sans-serif" font-size="12" fill="#222222"';
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size} ${font} role="img" aria-label="${escape(chart.title)}">\n${parts.join("\n")}\n</svg>\n`;
}

interface Scale {
  y(value: number): number;
  ticks: number[];
}

function scaleOf({ series, kind, isLog, marks = [] }: Chart): Scale {
  const values = series.flatMap((one) => one.values.filter((value) => value !== undefined));
  const sums = series[0]?.values.map((_, at) =>
    series.reduce((sum, one) => sum + (one.values[at] ?? 0), 0),
  );
  const most = Math.max(...(kind === "stacked" ? (sums ?? []) : values), ...marks, 0) || 1;
  const room = box.bottom - box.top;
  if (isLog === true) {
    const positive = values.filter((value) => value > 0);
    const low = Math.floor(Math.log10(Math.min(...positive, most)));
    const high = Math.max(low + 1, Math.ceil(Math.log10(most)));
    const share = (value: number) => (Math.log10(Math.max(value, 10 ** low)) - low) / (high - low);
    const ticks = Array.from({ length: high - low + 1 }, (_, nth) => 10 ** (low + nth));
    return { y: (value) => box.bottom - share(value) * room, ticks };
  }
  const step = niceStep(most / 4);
  const top = Math.ceil(most / step) * step;
  const ticks = Array.from({ length: Math.round(top / step) + 1 }, (_, nth) => nth * step);
  return { y: (value) => box.bottom - (value / top) * room, ticks };
}

/** 1, 2 or 5 and zeros. */
function niceStep(rough: number): number {
  const power = 10 ** Math.floor(Math.log10(rough));
  return power * (rough / power <= 1 ? 1 : rough / power <= 2 ? 2 : rough / power <= 5 ? 5 : 10);
}

const place = ({ labels: all }: Chart, at: number) =>
  box.left + ((at + 0.5) * (box.right - box.left)) / all.length;

function lines(chart: Chart, { y }: Scale): string[] {
  return chart.series.map(({ values }, nth) => {
    const points = values.flatMap((value, at) =>
      value === undefined ? [] : [`${round(place(chart, at))},${round(y(value))}`],
    );
    return `<polyline points="${points.join(" ")}" fill="none" stroke="${colourOf(nth)}" stroke-width="2"/>`;
  });
}

function bars(chart: Chart, { y }: Scale): string[] {
  const isStacked = chart.kind === "stacked";
  const room = (0.8 * (box.right - box.left)) / chart.labels.length;
  const wide = isStacked ? room : room / chart.series.length;
  return chart.labels.flatMap((_, at) => {
    let below = 0;
    return chart.series.map(({ values }, nth) => {
      const value = values[at] ?? 0;
      const left = place(chart, at) - room / 2 + (isStacked ? 0 : nth * wide);
      const [bottom, top] = [y(below), y(below + value)];
      if (isStacked) below += value;
      return `<rect x="${round(left)}" y="${round(top)}" width="${round(wide)}" height="${round(Math.max(0, bottom - top))}" fill="${colourOf(nth)}"/>`;
    });
  });
}

/** Not more labels than have room beside each other. */
function labels(chart: Chart): string[] {
  const longest = Math.max(...chart.labels.map((label) => label.length), 1);
  const most = Math.max(1, Math.floor((box.right - box.left) / (longest * 5.6 + 4)));
  const every = Math.ceil(chart.labels.length / most);
  return chart.labels.flatMap((label, at) =>
    at % every === 0
      ? [text(place(chart, at), box.bottom + 18, label, 'text-anchor="middle"')]
      : [],
  );
}

function legend({ series, unit }: Chart): string[] {
  let left = box.left;
  const entries = series.flatMap(({ name }, nth) => {
    const at = left;
    left += 30 + name.length * 7;
    return [
      `<rect x="${at}" y="38" width="12" height="12" fill="${colourOf(nth)}"/>`,
      text(at + 17, 48, name),
    ];
  });
  return [...entries, text(box.right, 48, unit, 'text-anchor="end"')];
}

function text(x: number, y: number, words: string, more = ""): string {
  return `<text x="${round(x)}" y="${round(y)}"${more === "" ? "" : ` ${more}`}>${escape(words)}</text>`;
}

function line(x1: number, y1: number, x2: number, y2: number, colour: string): string {
  return `<line x1="${round(x1)}" y1="${round(y1)}" x2="${round(x2)}" y2="${round(y2)}" stroke="${colour}"/>`;
}

const round = (value: number) => Math.round(value * 10) / 10;

/** 1,200 · 45k · 3.2M: at most five characters. */
export function shortNumber(value: number): string {
  const size = Math.abs(value);
  if (size >= 1e9) return `${Number((value / 1e9).toPrecision(3))}G`;
  if (size >= 1e6) return `${Number((value / 1e6).toPrecision(3))}M`;
  if (size >= 10_000) return `${Number((value / 1e3).toPrecision(3))}k`;
  return Number(value.toPrecision(3)).toLocaleString("en");
}

/** For text and attributes. Characters that XML does not have are left out. */
function escape(words: string): string {
  return words
    .replaceAll(/[^\t\n\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, "")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
