/** A metric as Prometheus reads it. */
export interface Family {
  type: string;
  help: string;
  samples: Sample[];
}

export interface Sample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

const name = "[a-zA-Z_:][a-zA-Z0-9_:]*";
const label = String.raw`[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\[\\"n])*"`;
/** As Go reads it, which takes the library's "Nan". */
const number = String.raw`[-+]?(?:\d+(?:\.\d*)?(?:[eE][-+]?\d+)?|Inf|Na[Nn])`;
const sampleForm = new RegExp(`^(${name})(?:\\{(${label}(?:,${label})*)\\})? (${number})$`);
const types = new Set(["counter", "gauge", "histogram", "summary", "untyped"]);

/**
 * Reads the text format of Prometheus, version 0.0.4, as strictly as `promtool check metrics`: throws for what
 * Prometheus refuses, and for what its rules of naming do not allow.
 */
export function parseMetrics(text: string): Map<string, Family> {
  const families = new Map<string, Family>();
  const series = new Set<string>();
  let current: { name: string; help?: string; family?: Family } | undefined;
  if (!text.endsWith("\n")) throw new Error("the last line has no end");
  for (const line of text.slice(0, -1).split("\n")) {
    if (line === "") continue;
    const [, word, about = "", rest = ""] =
      new RegExp(`^# (HELP|TYPE) (${name}) (.+)$`).exec(line) ?? [];
    if (word === "HELP") {
      if (families.has(about)) throw new Error(`${about} comes twice`);
      current = { name: about, help: rest };
    } else if (word === "TYPE") {
      if (current?.name !== about || current.family !== undefined)
        throw new Error(`the type of ${about} does not follow its help`);
      if (!types.has(rest)) throw new Error(`${about} has the type ${rest}`);
      current.family = { type: rest, help: current.help ?? "", samples: [] };
      families.set(about, current.family);
    } else if (line.startsWith("#")) throw new Error(`no comment that is expected: ${line}`);
    else {
      const sample = parseSample(line);
      if (current?.family === undefined || familyOf(sample, current.family) !== current.name)
        throw new Error(`a sample without its type before it: ${line}`);
      const id = `${sample.name} ${JSON.stringify(Object.entries(sample.labels).map(String).toSorted())}`;
      if (series.has(id)) throw new Error(`a series comes twice: ${line}`);
      series.add(id);
      current.family.samples.push(sample);
    }
  }
  for (const [one, family] of families) checkFamily(one, family);
  return families;
}

function parseSample(line: string): Sample {
  const [, metric, labels = "", value = ""] = sampleForm.exec(line) ?? [];
  if (metric === undefined) throw new Error(`no sample: ${line}`);
  const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(
    ([, key = "", text = ""]) => [
      key,
      text.replaceAll(/\\(.)/g, (_, sign: string) => (sign === "n" ? "\n" : sign)),
    ],
  );
  if (new Set(pairs.map(([key]) => key)).size !== pairs.length)
    throw new Error(`a label comes twice: ${line}`);
  const parsed = Number(value.replace("Inf", "Infinity"));
  return {
    name: metric,
    labels: Object.fromEntries(pairs) as Record<string, string>,
    value: parsed,
  };
}

function familyOf(sample: Sample, { type }: Family): string {
  if (type === "histogram") return sample.name.replace(/_(bucket|sum|count)$/, "");
  return type === "summary" ? sample.name.replace(/_(sum|count)$/, "") : sample.name;
}

function checkFamily(metric: string, { type, samples }: Family): void {
  const wrong = (what: string) => new Error(`${metric} ${what}`);
  // Node's own gauges are called so by their library.
  if ((type === "counter") !== metric.endsWith("_total") && !/^nodejs_\w+s_total$/.test(metric))
    throw wrong("is a counter without _total, or has it and is none");
  if (/_(milliseconds|ms|minutes|kilobytes|megabytes|mb|percent)(_|$)/.test(metric))
    throw wrong("has no base unit");
  if (/_(bucket|sum|count)$/.test(metric)) throw wrong("is named like a part of a histogram");
  if (type === "counter" && samples.some(({ value }) => !(value >= 0)))
    throw wrong("counts less than nothing");
  if (type === "histogram") checkHistogram(samples, wrong);
  else if (samples.some(({ labels }) => "le" in labels)) throw wrong("has le and is no histogram");
}

const isAscending = (list: number[]) => list.every((one, at) => one >= (list[at - 1] ?? 0));

/** For each set of labels: ascending buckets that hold those before them, up to +Inf, which is the count. */
function checkHistogram(samples: Sample[], wrong: (what: string) => Error): void {
  const groups = new Map<string, Sample[]>();
  for (const sample of samples) {
    const { le: _, ...labels } = sample.labels;
    const key = JSON.stringify(labels);
    groups.set(key, [...(groups.get(key) ?? []), sample]);
  }
  for (const group of groups.values()) {
    const part = (suffix: string) => group.filter((one) => one.name.endsWith(suffix));
    const bounds = part("_bucket").map(({ labels }) =>
      Number(labels["le"]?.replace("+Inf", "Infinity")),
    );
    const counts = part("_bucket").map(({ value }) => value);
    if (!isAscending(bounds) || new Set(bounds).size !== bounds.length)
      throw wrong("has buckets out of order");
    if (!isAscending(counts)) throw wrong("has buckets that are not cumulative");
    if (bounds.at(-1) !== Infinity) throw wrong("has no bucket +Inf");
    if (part("_count").length !== 1 || part("_count")[0]?.value !== counts.at(-1))
      throw wrong("counts otherwise than its last bucket");
    if (part("_sum").length !== 1) throw wrong("has no sum");
  }
}

/** The sum of the samples with these labels; 0 if there is none. */
export function sumOf(
  families: Map<string, Family>,
  metric: string,
  labels: Record<string, string> = {},
): number {
  return samplesOf(families, metric, labels).reduce((sum, { value }) => sum + value, 0);
}

export function samplesOf(
  families: Map<string, Family>,
  metric: string,
  labels: Record<string, string> = {},
): Sample[] {
  const all = [...families.values()].flatMap(({ samples }) => samples);
  const has = (sample: Sample) =>
    Object.entries(labels).every(([key, value]) => sample.labels[key] === value);
  return all.filter((sample) => sample.name === metric && has(sample));
}
