import { Readable } from "node:stream";
import { ZipFile } from "yazl";

/** A ZIP whose files are opened one after another, only as it is consumed. */
export class LazyZip {
  readonly #zip = new ZipFile();
  readonly #out = this.#zip.outputStream as Readable;
  /** Yazl looks after neither: an error would end the process, and a file would stay open if the client goes away. */
  #current: Readable | undefined;

  constructor() {
    this.#zip.on("error", (error: Error) => this.#out.destroy(error));
    this.#out.once("close", () => this.#current?.destroy());
  }

  /** A file, compressed unless it is a picture. */
  add(name: string, open: () => Promise<Readable>, compress = false): void {
    this.#zip.addReadStreamLazy(name, { compress }, (begin) => {
      open().then(
        (stream) => begin(null, this.#take(stream)),
        (error: Error) => begin(error, Readable.from([])),
      );
    });
  }

  addText(name: string, pieces: () => AsyncIterable<string>): void {
    this.add(name, () => Promise.resolve(Readable.from(pieces(), { objectMode: false })), true);
  }

  /** No file comes after this. */
  end(): Readable {
    this.#zip.end();
    return this.#out;
  }

  #take(stream: Readable): Readable {
    this.#current = stream.once("error", (error) => this.#out.destroy(error));
    if (this.#out.destroyed) stream.destroy();
    return stream;
  }
}
