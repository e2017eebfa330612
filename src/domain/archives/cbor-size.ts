// The heads of CBOR, as RFC 8949 has them: a kind in three bits, and a length, or what stands for it, in five or up to
// eight bytes more.

const [bytesKind, textKind, listKind, mapKind, tagKind] = [2, 3, 4, 5, 6];

/**
 * Throws RangeError for CBOR that says it has more values than its bytes can be, or more than `valuesAtMost`, keys of
 * maps included. Decoders take memory for a list before they read it, also for each list in a list. All other faults
 * are the decoder's to find.
 */
export function requireBounded(bytes: Uint8Array, valuesAtMost: number): void {
  let [at, values] = [0, 1];
  for (let read = 1; read <= values; read += 1) {
    const head = bytes[at] ?? 0xff;
    const [kind, info] = [head >> 5, head & 31];
    const width = info < 24 ? 0 : 2 ** (info - 24);
    let length = info < 24 ? info : 0;
    // Those without an end, from 28 on, are refused below.
    for (let nth = 1; nth <= Math.min(width, 8); nth += 1)
      length = length * 256 + (bytes[at + nth] ?? 0);
    at += 1 + width;
    if (kind === bytesKind || kind === textKind) at += length;
    else if (kind === listKind) values += length;
    else if (kind === mapKind) values += 2 * length;
    else if (kind === tagKind) values += 1;
    // Each value has a byte or more.
    const isTooShort = at + values - read > bytes.length;
    if (info >= 28 || isTooShort || values > valuesAtMost) throw new RangeError("size");
  }
}
