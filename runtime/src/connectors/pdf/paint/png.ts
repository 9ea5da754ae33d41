import { inflateSync } from 'node:zlib';

/** Pixels of a picture: 40 megapixels. */
export const mostPixels = 40_000_000;

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const samples: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };

export function isPng(bytes: Uint8Array): boolean {
  return signature.equals(bytes.subarray(0, signature.length));
}

/**
 * What is wrong with a PNG (ISO 15948), or undefined: its pixels are inflated to no more than they must be, so that those who
 * do it later, readers of the document among them, inflate no more either.
 */
export function pngProblem(bytes: Buffer): string | undefined {
  const parts: Buffer[] = [];
  let expected = 0;
  for (let at = signature.length; at + 12 <= bytes.length; ) {
    const length = bytes.readUInt32BE(at);
    const type = bytes.toString('latin1', at + 4, at + 8);
    const data = bytes.subarray(at + 8, at + 8 + length);
    if (data.length < length) return 'it ends in the middle';
    if (type === 'IHDR') {
      if (length < 13) return 'its header is too short';
      const [width, height] = [data.readUInt32BE(0), data.readUInt32BE(4)];
      const [bits, kind] = [data[8] as number, data[9] as number];
      const perPixel = Object.hasOwn(samples, kind) ? (samples[kind] as number) : 0;
      if (width === 0 || height === 0 || perPixel === 0 || ![1, 2, 4, 8, 16].includes(bits))
        return 'its header is malformed';
      if (width * height > mostPixels) return `it has more than ${mostPixels / 1_000_000} megapixels`;
      // One filter byte for each line; those of an interlaced picture are at most twice as many, and eight more.
      expected = Math.ceil((width * perPixel * bits) / 8) * height + height * 2 + 64 + width * perPixel * 2;
    } else if (type === 'IDAT') parts.push(data);
    else if (type === 'IEND') break;
    at += 12 + length;
  }
  if (expected === 0 || parts.length === 0) return 'it has no pixels';
  try {
    inflateSync(Buffer.concat(parts), { maxOutputLength: expected });
    return undefined;
  } catch {
    return 'its pixels cannot be inflated';
  }
}
