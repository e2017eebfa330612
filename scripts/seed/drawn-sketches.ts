import type { Ctx } from "../../src/context.ts";
import { prepareUpload } from "../../src/domain/pictures/prepare-upload.ts";
import { addUpload } from "../../src/domain/pictures/uploads.ts";
import type { UploadId, UserId } from "../../src/domain/ids.ts";
import { sketch } from "./sketches.ts";
import type { Line } from "./talks.ts";

/** Rounds of the talks that have pictures: converting one takes as long as a hundred tweets. */
const roundsWithPictures = 3;

/** The pictures of demo tweets, drawn once; none where pictures are off. */
export class DrawnSketches {
  readonly #ctx: Ctx;
  readonly #drawn: ReadonlyMap<string, Buffer>;

  private constructor(ctx: Ctx, drawn: ReadonlyMap<string, Buffer>) {
    this.#ctx = ctx;
    this.#drawn = drawn;
  }

  static async of(ctx: Ctx, lines: readonly Line[]): Promise<DrawnSketches> {
    const names = lines.flatMap(({ picture }) => picture?.sketch ?? []);
    const wanted = ctx.storage === undefined ? [] : names;
    const drawn = await Promise.all(
      wanted.map(async (name): Promise<[string, Buffer]> => [name, await sketch(name)]),
    );
    return new DrawnSketches(ctx, new Map(drawn));
  }

  /** The upload that a line of the author shows, in a list; ready to be posted. */
  async uploadFor({ picture }: Line, round: number, author: UserId): Promise<UploadId[]> {
    const bytes = picture && this.#drawn.get(picture.sketch);
    if (bytes === undefined || round >= roundsWithPictures) return [];
    const { description = "" } = picture ?? {};
    const upload = await addUpload(this.#ctx, author, { bytes, description });
    await prepareUpload(this.#ctx, { user: author, upload });
    return [upload];
  }
}
