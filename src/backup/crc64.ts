/** The reflected polynomial of Jones, as Redis uses it, in two halves. */
const polynomial = { high: 0x95ac9329, low: 0xac4bc9b5 };

const highs = new Uint32Array(256);
const lows = new Uint32Array(256);
for (let byte = 0; byte < 256; byte += 1) {
  let high = 0;
  let low = byte;
  for (let bit = 0; bit < 8; bit += 1) {
    const carry = low & 1;
    low = (low >>> 1) | (high << 31);
    high >>>= 1;
    if (carry === 0) continue;
    low ^= polynomial.low;
    high ^= polynomial.high;
  }
  highs[byte] = high;
  lows[byte] = low;
}

/** The checksum at the end of what DUMP returns: 8 bytes, little-endian. */
export function crc64(...parts: Buffer[]): Buffer {
  let high = 0;
  let low = 0;
  for (const part of parts)
    for (const byte of part) {
      const index = (low ^ byte) & 0xff;
      low = ((low >>> 8) | (high << 24)) ^ (lows[index] ?? 0);
      high = (high >>> 8) ^ (highs[index] ?? 0);
    }
  const sum = Buffer.alloc(8);
  sum.writeUInt32LE(low >>> 0, 0);
  sum.writeUInt32LE(high >>> 0, 4);
  return sum;
}
