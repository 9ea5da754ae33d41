import { deflateSync } from 'node:zlib';
import { PNG } from 'pngjs';

/** A PNG of one colour. */
export function png(
  width: number,
  height: number,
  [red, green, blue, alpha = 255]: readonly number[] = [200, 0, 0],
): Buffer {
  const picture = new PNG({ width, height });
  for (let at = 0; at < picture.data.length; at += 4) picture.data.set([red ?? 0, green ?? 0, blue ?? 0, alpha], at);
  return PNG.sync.write(picture);
}

/** The smallest JPEG that has one pixel. */
export const jpeg = Buffer.from(
  '/9j/4AAQSkZJRgABAQEASABIAAD/2wBDAP//////////////////////////////////////////////////////////////////////////////////////wgALCAABAAEBAREA/8QAFBABAAAAAAAAAAAAAAAAAAAAAP/aAAgBAQABPxA=',
  'base64',
);

/** A PNG that says how large it is, and has other pixels. */
export function lyingPng(width: number, height: number, pixels: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 6], 8);
  const chunk = (type: string, data: Buffer) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(data.length);
    return Buffer.concat([length, Buffer.from(type), data, Buffer.alloc(4)]);
  };
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.alloc(pixels))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}
