import type { Ctx } from "../../context.ts";
import type { Stamp } from "../ids.ts";
import type { Entry } from "../page.ts";
import { currentScope, type Recording, recordedApart, withoutCachingNow } from "../scope.ts";
import type { FeedItem, KeptItems, MakeItems } from "./types.ts";

/** An item and, in a word, what else its HTML depends on: its place in the list. */
export interface PlacedItem {
  item: FeedItem;
  place: string;
}

/** HTML of an item. The times that it shows change at `until`, in milliseconds. */
export interface ItemHtml {
  html: Buffer;
  until: number;
}

/** What was made of an entry. A recording has the inputs of all that was made at the same time. */
interface Part {
  stamp: Stamp;
  /** Undefined where there is none that the reader may and wants to see. */
  item: FeedItem | undefined;
  recording: Recording;
  /** Undefined until the item is shown. */
  shown: Shown | undefined;
}

interface Shown {
  place: string;
  /** Undefined for an item of a deleted author. */
  html: ItemHtml | undefined;
  recording: Recording;
}

/** Estimated bytes of a part, of a list of inputs, and of a value with its inputs. */
const bytesOf = { part: 200, inputs: 600, value: 3000 } as const;
/** So often parts are added; then all are made together, and share one list of inputs again. */
const most = 32;

/**
 * What a page keeps of its list from one time that it is made to the next: of one feed and one reader. Only what is new
 * or has other inputs is made. What was not on the page the last time is forgotten. Values beside the list are kept, too.
 */
export class KeptList implements KeptItems {
  #parts = new Map<string, Part>();
  /** Parts of the page as it was made last. */
  #former = this.#parts;
  /** Inputs of all that is made this time. */
  #recording: Recording | undefined;
  /** Times that parts were made since all were made together. */
  #made = 0;
  readonly #values = new Map<string, { value: unknown; recording: Recording }>();

  /** Call it each time before the page is made. */
  begin(): void {
    this.#former = this.#made < most ? this.#parts : new Map();
    this.#parts = new Map();
    this.#recording = undefined;
  }

  async items(ctx: Ctx, entries: Entry[], make: MakeItems): Promise<(FeedItem | undefined)[]> {
    const page = currentScope.getStore()?.recording;
    if (page === undefined) return await make(entries);
    const now = withoutCachingNow(ctx);
    const missing = entries.filter((entry) => !this.#takeOver(entry, page, now));
    if (this.#parts.size === 0) this.#made = 0;
    const { values, recording } = await this.#make(page, missing, make);
    for (const [nth, { id, stamp }] of missing.entries())
      this.#parts.set(id, { stamp, item: values[nth], recording, shown: undefined });
    return entries.map(({ id }) => this.#parts.get(id)?.item);
  }

  /** The HTML of each item; undefined for those of deleted authors. `make` makes those that are missing, in order. */
  async html(
    ctx: Ctx,
    placed: PlacedItem[],
    make: (missing: PlacedItem[]) => Promise<(ItemHtml | undefined)[]>,
  ): Promise<(ItemHtml | undefined)[]> {
    const page = currentScope.getStore()?.recording;
    if (page === undefined) return await make(placed);
    const now = withoutCachingNow(ctx);
    const parts = placed.map(({ item }) => this.#partOf(item));
    const known = placed.map(({ place }, nth) => goodHtml(parts[nth], place, now));
    const missing = placed.filter((_, nth) => known[nth] === undefined);
    const { values, recording } = await this.#make(page, missing, make);
    let next = 0;
    return placed.map(({ place }, nth) => {
      const shown = known[nth] ?? { place, html: values[next++], recording };
      const part = parts[nth];
      if (part !== undefined) part.shown = shown;
      page.include(shown.recording);
      return shown.html;
    });
  }

  /**
   * A value beside the list: the same object until its inputs change. All else that `make` takes must be the same each
   * time that the page is made.
   */
  async value<Value>(ctx: Ctx, name: string, make: () => Promise<Value>): Promise<Value> {
    const page = currentScope.getStore()?.recording;
    if (page === undefined) return await make();
    const known = this.#values.get(name);
    const isGood = known?.recording.isGood(withoutCachingNow(ctx)) === true;
    const recording = isGood ? known.recording : page.beside();
    const value = isGood ? (known.value as Value) : await recordedApart(recording, make);
    page.include(recording);
    this.#values.set(name, { value, recording });
    return value;
  }

  get bytes(): number {
    const { part, inputs, value } = bytesOf;
    return this.#parts.size * part + this.#made * inputs + this.#values.size * value;
  }

  /** False for an entry without a part that is still right. */
  #takeOver({ id, stamp }: Entry, page: Recording, now: number): boolean {
    const part = this.#parts.get(id) ?? this.#former.get(id);
    if (part?.stamp !== stamp || !part.recording.isGood(now)) return false;
    page.include(part.recording);
    this.#parts.set(id, part);
    return true;
  }

  async #make<Subject, Value>(
    page: Recording,
    missing: Subject[],
    make: (missing: Subject[]) => Promise<Value[]>,
  ): Promise<{ values: Value[]; recording: Recording }> {
    if (missing.length === 0) return { values: [], recording: page };
    if (this.#recording === undefined) this.#made += 1;
    const recording = (this.#recording ??= page.beside());
    const values = await recordedApart(recording, () => make(missing));
    page.include(recording);
    return { values, recording };
  }

  #partOf(item: FeedItem): Part | undefined {
    const part = this.#parts.get((item.retweet ?? item.tweet).id);
    return part?.item === item ? part : undefined;
  }
}

/** What is known of an item, at this place and time. */
function goodHtml(part: Part | undefined, place: string, now: number): Shown | undefined {
  const shown = part?.shown;
  if (shown === undefined || shown.place !== place || !shown.recording.isGood(now))
    return undefined;
  return now < (shown.html?.until ?? Infinity) ? shown : undefined;
}
