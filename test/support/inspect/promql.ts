/** What a query reads. */
export interface Selector {
  metric: string;
  /** Labels that it is chosen by. */
  labels: string[];
}

export interface Query {
  selectors: Selector[];
  /** Labels by which the result is grouped or joined. */
  grouping: string[];
}

type Kind = "scalar" | "instant" | "range";

/** The functions that our queries may use: what they take, and what they make of it. */
const functions: Readonly<Record<string, { takes: Kind[]; gives: Kind }>> = {
  rate: { takes: ["range"], gives: "instant" },
  increase: { takes: ["range"], gives: "instant" },
  deriv: { takes: ["range"], gives: "instant" },
  max_over_time: { takes: ["range"], gives: "instant" },
  predict_linear: { takes: ["range", "scalar"], gives: "instant" },
  histogram_quantile: { takes: ["scalar", "instant"], gives: "instant" },
  absent: { takes: ["instant"], gives: "instant" },
  clamp_min: { takes: ["instant", "scalar"], gives: "instant" },
  time: { takes: [], gives: "scalar" },
};
const aggregations: Readonly<Record<string, Kind[]>> = {
  sum: ["instant"],
  min: ["instant"],
  max: ["instant"],
  avg: ["instant"],
  count: ["instant"],
  topk: ["scalar", "instant"],
};
/** Weakest first. */
const operators = [
  ["or"],
  ["and", "unless"],
  ["==", "!=", ">", "<", ">=", "<="],
  ["+", "-"],
  ["*", "/", "%"],
];
const token =
  /\s*("(?:[^"\\]|\\.)*"|\d+(?:\.\d+)?(?![\w.])|\d+[smhdwy](?!\w)|[a-zA-Z_:][\w:]*|=~|!~|[=!<>]=|[-+*/%<>=(){}[\],])/y;

/**
 * Reads the part of Prometheus' query language that our dashboards and alerts use. Throws where a query is not in it,
 * or where the kinds of its parts do not fit.
 */
export function parseQuery(text: string): Query {
  const reader = new Reader(text);
  const kind = reader.expression(0);
  reader.end();
  if (kind === "range") throw new Error("a range has no value");
  return reader.query;
}

class Reader {
  readonly query: Query = { selectors: [], grouping: [] };
  readonly #tokens: string[] = [];
  #at = 0;

  constructor(text: string) {
    token.lastIndex = 0;
    const end = text.trimEnd().length;
    while (token.lastIndex < end) {
      const from = token.lastIndex;
      const [, word] = token.exec(text) ?? [];
      if (word === undefined) throw new Error(`unknown at ${text.slice(from)}`);
      this.#tokens.push(word);
    }
  }

  end(): void {
    if (this.#at < this.#tokens.length) throw new Error(`unexpected ${this.#next()}`);
  }

  expression(strength: number): Kind {
    const here = operators[strength];
    if (here === undefined) return this.#postfix();
    let left = this.expression(strength + 1);
    while (here.includes(this.#peek())) {
      const operator = this.#next();
      if (this.#peek() === "on" || this.#peek() === "ignoring") {
        this.#next();
        this.#labels();
      }
      const right = this.expression(strength + 1);
      if (left === "range" || right === "range") throw new Error(`${operator} of a range`);
      if (strength < 2 && (left === "scalar" || right === "scalar"))
        throw new Error(`${operator} of a number`);
      if (strength === 2 && left === "scalar" && right === "scalar")
        throw new Error(`${operator} of two numbers`);
      left = left === "scalar" && right === "scalar" ? "scalar" : "instant";
    }
    return left;
  }

  #postfix(): Kind {
    const kind = this.#primary();
    if (this.#peek() !== "[") return kind;
    this.#next();
    if (!/^\d+[smhdwy]$/.test(this.#next())) throw new Error("a range needs a duration");
    this.#expect("]");
    if (kind !== "instant") throw new Error("a range of what is no series");
    return "range";
  }

  #primary(): Kind {
    const word = this.#next();
    if (word === "-") return this.#primary();
    if (/^\d+(\.\d+)?$/.test(word)) return "scalar";
    if (word === "(") {
      const kind = this.expression(0);
      this.#expect(")");
      return kind;
    }
    if (!/^[a-zA-Z_:]/.test(word)) throw new Error(`unexpected ${word}`);
    const takes = aggregations[word];
    if (takes !== undefined) return this.#aggregation(takes);
    if (this.#peek() === "(") return this.#call(word);
    this.query.selectors.push({ metric: word, labels: this.#matchers() });
    return "instant";
  }

  #aggregation(takes: Kind[]): Kind {
    const grouped = () => {
      if (this.#peek() !== "by" && this.#peek() !== "without") return false;
      this.#next();
      this.#labels();
      return true;
    };
    const before = grouped();
    this.#arguments(takes);
    if (!before) grouped();
    return "instant";
  }

  #call(name: string): Kind {
    const known = functions[name];
    if (known === undefined) throw new Error(`unknown function ${name}`);
    this.#arguments(known.takes);
    return known.gives;
  }

  #arguments(takes: Kind[]): void {
    this.#expect("(");
    for (const [nth, wanted] of takes.entries()) {
      if (nth > 0) this.#expect(",");
      const kind = this.expression(0);
      if (kind !== wanted) throw new Error(`a ${kind} where a ${wanted} is wanted`);
    }
    this.#expect(")");
  }

  #matchers(): string[] {
    const labels: string[] = [];
    if (this.#peek() !== "{") return labels;
    this.#next();
    while (this.#peek() !== "}") {
      labels.push(this.#next());
      if (!["=", "!=", "=~", "!~"].includes(this.#next())) throw new Error("no such matcher");
      if (!this.#next().startsWith('"')) throw new Error("a label needs a text");
      if (this.#peek() !== "}") this.#expect(",");
    }
    this.#next();
    return labels;
  }

  #labels(): void {
    this.#expect("(");
    while (this.#peek() !== ")") {
      this.query.grouping.push(this.#next());
      if (this.#peek() !== ")") this.#expect(",");
    }
    this.#next();
  }

  #peek(): string {
    return this.#tokens[this.#at] ?? "";
  }

  #next(): string {
    const word = this.#tokens[this.#at];
    if (word === undefined) throw new Error("it ends too early");
    this.#at += 1;
    return word;
  }

  #expect(wanted: string): void {
    const word = this.#next();
    if (word !== wanted) throw new Error(`${word} where ${wanted} is wanted`);
  }
}
