import { Buffer } from 'node:buffer';

/** A text that is one whole frame. */
const wholeText = 0x81;

/** Texts as the frames of a server, one after the other (RFC 6455, section 5.2). */
export function textFrames(texts: readonly string[]): Buffer {
  return frames(texts, (text) => text.length) ?? (frames(texts, (text) => Buffer.byteLength(text)) as Buffer);
}

/** Spare bytes after the last text, so that a text longer than announced is detected. */
const room = 4;

/** Undefined when a text is longer than `lengthOf` gives: nearly all are ASCII, and need not be measured before. */
function frames(texts: readonly string[], lengthOf: (text: string) => number): Buffer | undefined {
  let most = room;
  for (const text of texts) {
    const length = lengthOf(text);
    most += headerOf(length) + length;
  }
  const written = Buffer.allocUnsafe(most);
  let at = 0;
  for (const text of texts) {
    const length = lengthOf(text);
    at = writeHeader(written, at, length);
    if (written.write(text, at) !== length) return undefined;
    at += length;
  }
  return written.subarray(0, at);
}

/** Bytes of the header of a frame of so many bytes: lengths have the shortest form. */
function headerOf(length: number): number {
  if (length < 126) return 2;
  return length < 65_536 ? 4 : 10;
}

/** Gives where the header ends. */
function writeHeader(frames: Buffer, at: number, length: number): number {
  frames[at] = wholeText;
  switch (headerOf(length)) {
    case 2:
      frames[at + 1] = length;
      return at + 2;
    case 4:
      frames[at + 1] = 126;
      return frames.writeUInt16BE(length, at + 2);
    default:
      frames[at + 1] = 127;
      frames.writeUInt32BE(Math.floor(length / 2 ** 32), at + 2);
      return frames.writeUInt32BE(length % 2 ** 32, at + 6);
  }
}
