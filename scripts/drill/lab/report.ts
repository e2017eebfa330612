import { Answers } from "./answers.ts";
import type { FailedTry, Sent } from "./ledger.ts";

/** Max problems of a kind that are told; the others are counted. */
const toldOfAKind = 3;

/** What a drill learns while it runs. Without a problem it has passed. */
export class Report {
  load = "";
  acknowledged = 0;
  lost = 0;
  duplicated = 0;
  readonly notes: string[] = [];
  /**
   * Whether what was sent at one moment and acknowledged at another, in milliseconds since 1970, may be lost: it was
   * written in between.
   */
  mayBeLost: (acknowledgedAt: number, sentAt: number) => boolean = () => false;
  /**
   * Whether the note that a form was sent may be lost, while its tweet is there. The form, sent again, makes a second
   * tweet then. Only on a cluster, where the two are on two nodes.
   */
  mayBeForgotten: (one: FailedTry) => boolean = () => false;
  readonly answers = new Answers(this);
  #recovery: number | undefined;
  readonly #problems = new Map<string, { details: string[]; count: number }>();

  /** `kind` is a sentence; of its details the first few are kept. */
  problem(kind: string, detail = ""): void {
    const known = this.#problems.get(kind) ?? { details: [], count: 0 };
    known.count += 1;
    if (detail !== "" && known.details.length < toldOfAKind) known.details.push(detail);
    this.#problems.set(kind, known);
  }

  expect(holds: boolean, kind: string, detail = ""): void {
    if (!holds) this.problem(kind, detail);
  }

  /** Something that was acknowledged at this moment is not there. Where `sentAt` is not known, half a second before. */
  isLost(at: number, kind: string, detail: string, sentAt = at - 500): void {
    this.lost += 1;
    const when = `sent ${ago(sentAt)} s and acknowledged ${ago(at)} s before`;
    this.expect(this.mayBeLost(at, sentAt), kind, `${detail} (${when})`);
  }

  /** `more`: how many of this tweet there are beside it. */
  isTwice({ text, failedTries }: Sent, more: number): void {
    this.duplicated += more;
    const excused = failedTries.filter((one) => this.mayBeForgotten(one));
    const tries = failedTries.map(({ sentAt, endedAt }) => `${ago(sentAt)}–${ago(endedAt)}`);
    const detail = `${text} (tried ${tries.join(", ")} s before)`;
    if (more > excused.length) this.problem("a tweet is there twice", detail);
    else this.notes.push(`twice, as the note of the first try was lost: ${detail}`);
  }

  /** Milliseconds from the end of the fault to the first good answer; of several, the longest counts. */
  recovered(milliseconds: number, allowed: number): void {
    this.#recovery = Math.max(this.#recovery ?? 0, milliseconds);
    const seconds = (milliseconds / 1000).toFixed(1);
    this.expect(milliseconds <= allowed, "it recovered too late", `after ${seconds} s`);
  }

  get recovery(): number | undefined {
    return this.#recovery;
  }

  get problems(): string[] {
    return [...this.#problems].map(([kind, { details, count }]) => {
      const times = count > 1 ? ` (${count} times)` : "";
      return `${kind}${times}${details.length > 0 ? `: ${details.join("; ")}` : ""}`;
    });
  }
}

function ago(at: number): string {
  return ((Date.now() - at) / 1000).toFixed(1);
}
