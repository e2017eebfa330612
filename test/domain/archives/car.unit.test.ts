import { describe, expect, it } from "vitest";
import { readRepository } from "../../../src/domain/archives/car.ts";
import {
  carBlock,
  carFile,
  encode,
  Encoded,
  Link,
  post,
  postPath,
  varint,
} from "../../support/data/bluesky-archive.ts";
import { turnsOfOthers } from "../../support/inspect/turns-of-others.ts";

const at = "2024-02-03T04:05:06Z";
const tooLarge = { problems: { file: "import.large" } };

/** The file with as many roots as this, in place of one. */
function withRoots(file: Buffer, count: number): Buffer {
  const length = file.readUInt8(0);
  // Before the root are a map, the text "roots" and a list.
  const root = new Encoded(file.subarray(1 + 8, 1 + 8 + 41));
  const header = encode({ roots: Array.from({ length: count }, () => root), version: 1 });
  return Buffer.concat([varint(header.length), header, file.subarray(1 + length)]);
}

/** Values of the posts of a file. */
async function postsIn(file: Buffer): Promise<unknown[]> {
  const { records } = await readRepository(file);
  const values: unknown[] = [];
  for await (const { path, value } of records)
    if (path.startsWith("app.bsky.feed.post/")) values.push(value());
  return values;
}

/** As many records as this, of one kind, that are one block. */
function alike(kind: string, count: number, value: unknown): Record<string, unknown> {
  return Object.fromEntries(
    Array.from({ length: count }, (_, nth) => [`app.bsky.feed.${kind}/3k${nth}`, value]),
  );
}

describe("a hostile repository", () => {
  const file = carFile({ [postPath("3kc")]: post("one", at) });

  it("a header of more than a kB is refused, before it is decoded", async () => {
    expect(await postsIn(withRoots(file, 20))).toMatchObject([{ text: "one" }]);
    await expect(postsIn(withRoots(file, 30))).rejects.toThrow(RangeError);
  });

  it("a record with more values than any post has is none, and the others come", async () => {
    const many = Array.from({ length: 100_000 }, () => 0);
    const values = await postsIn(
      carFile({
        [postPath("3ka")]: { ...post("many", at), many },
        [postPath("3kb")]: post("one", at),
        [postPath("3kc")]: new Encoded(Buffer.from("9a0000ffff9a0000fff0", "hex")),
      }),
    );
    expect(values).toMatchObject([undefined, { text: "one" }, undefined]);
  });

  it("a tree with more values than that is refused", async () => {
    const many = Array.from({ length: 100_000 }, () => 0);
    const tree = encode({ l: null, e: [], many });
    const commit = encode({ did: "did:plc:owner", version: 3, data: new Link(tree) });
    const header = encode({ roots: [new Link(commit)], version: 1 });
    const start = Buffer.concat([varint(header.length), header]);
    const hostile = Buffer.concat([start, carBlock(commit), carBlock(tree)]);
    await expect(postsIn(hostile)).rejects.toThrow(RangeError);
  });

  it("a block that many records name is not decoded many times", async () => {
    const value = post("x".repeat(50_000), at);
    expect(await postsIn(carFile(alike("like", 200, value)))).toEqual([]);
    await expect(postsIn(carFile(alike("post", 200, value)))).rejects.toMatchObject(tooLarge);
  });

  it("a block that is there many times counts each time", async () => {
    const block = carBlock(Buffer.from([0]));
    const many = Buffer.alloc(600_001 * block.length, block);
    await expect(readRepository(Buffer.concat([file, many]))).rejects.toMatchObject(tooLarge);
  });

  it("others have their turn while blocks and records are read, by their number and their bytes", async () => {
    const texts = Array.from({ length: 20 }, (_, nth) => `${nth} ${"x".repeat(90_000)}`);
    const few = texts.map((text, nth) => [postPath(`3k${nth}`), post(text, at)]);
    const large = carFile(Object.fromEntries(few) as Record<string, unknown>);
    const { records } = await readRepository(large);
    const reading = async () => {
      for await (const { value } of records) value();
    };
    expect(await turnsOfOthers(() => readRepository(large))).toBeGreaterThan(5);
    expect(await turnsOfOthers(reading)).toBeGreaterThan(5);
    const many = carFile(alike("like", 3000, 1));
    expect(await turnsOfOthers(() => postsIn(many))).toBeGreaterThan(10);
  });
});
