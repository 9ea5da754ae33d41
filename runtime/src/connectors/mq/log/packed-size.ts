/** Largest block of an LZ4 frame by the bits of its descriptor (LZ4 frame format, "BD byte"). */
const blockSizes: Readonly<Record<number, number>> = { 4: 65_536, 5: 262_144, 6: 1_048_576, 7: 4_194_304 };
/** Bytes before the first block: the magic number, flags and block size, and a checksum. */
const shortestHeader = 7;

/**
 * The most bytes that an LZ4 frame can decompress to, by its blocks; a block grows at most 255 times. Bytes that are not a
 * frame give 0: decompressing them fails.
 */
export function mostOfLz4(frame: Buffer): number {
  if (frame.length < shortestHeader) return 0;
  const flags = frame[4] as number;
  const block = blockSizes[((frame[5] as number) >> 4) & 7] ?? 0;
  const [hasSize, hasDictionary, hasChecksums] = [flags & 8, flags & 1, flags & 16];
  let at = shortestHeader + (hasSize ? 8 : 0) + (hasDictionary ? 4 : 0);
  let most = 0;
  while (at + 4 <= frame.length) {
    const written = frame.readUInt32LE(at);
    const length = written & 0x7fff_ffff;
    if (length === 0) return most;
    const isPlain = written >>> 31 === 1;
    most += isPlain ? length : Math.min(block, length * 255);
    at += 4 + length + (hasChecksums ? 4 : 0);
  }
  return most;
}

/** What the blocks of the Java client begin with: a name, and two versions of four bytes each. */
const framedName = Buffer.from([0x82, ...Buffer.from('SNAPPY'), 0]);
const framedHeader = 16;

/** One block of Snappy, or several, each behind its length. Throws before what is too large is made. */
export function readSnappy(bytes: Buffer, most: number, decompress: (block: Buffer) => Buffer): Buffer {
  let left = most;
  const read = (block: Buffer) => {
    left -= sizeOfSnappy(block);
    if (left < 0)
      throw new RangeError(`a batch of messages has more than ${most} bytes when it is decompressed (max_response)`);
    return decompress(block);
  };
  if (!bytes.subarray(0, framedName.length).equals(framedName)) return read(bytes);
  const pieces: Buffer[] = [];
  for (let at = framedHeader; at < bytes.length; ) {
    const begins = at + 4;
    at = begins + bytes.readUInt32BE(at);
    pieces.push(read(bytes.subarray(begins, at)));
  }
  return Buffer.concat(pieces);
}

/** A block says first how long it is: seven bits in each byte, the lowest first. */
function sizeOfSnappy(block: Buffer): number {
  let size = 0;
  for (const [at, byte] of block.subarray(0, 5).entries()) {
    size += (byte & 127) * 128 ** at;
    if (byte < 128) return size;
  }
  return Number.POSITIVE_INFINITY;
}
