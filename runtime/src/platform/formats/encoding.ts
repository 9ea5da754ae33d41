import type { DecodedText, Unreadable } from '@svc/protocol/text';

const REPLACEMENT = '\ufffd';
const REPLACEMENT_BYTES = [0xef, 0xbf, 0xbd];

/** Decodes the bytes of a file. Never throws: what cannot be read is described in `unreadable`. */
export function decodeUtf8(bytes: Uint8Array): DecodedText {
  const wide = utf16(bytes);
  if (wide !== undefined)
    return { text: wide, unreadable: problem(0, 'The file is written in UTF-16, and must be in UTF-8') };
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  const at = firstReplaced(bytes, text);
  if (at === undefined) return { text };
  const byte = (bytes[at.byte] ?? 0).toString(16).toUpperCase().padStart(2, '0');
  return { text, unreadable: problem(at.character, `The byte ${byte} is not UTF-8`) };
}

function problem(at: number, message: string): Unreadable {
  return { at, message, code: 'syntax-encoding', help: 'Save the file as UTF-8.' };
}

/** The text of a file with the byte order mark of UTF-16; undefined for every other. */
function utf16(bytes: Uint8Array): string | undefined {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  return first === 0xfe && second === 0xff ? new TextDecoder('utf-16be').decode(bytes) : undefined;
}

/** The position of the first byte that is not UTF-8; undefined when all are. */
export function firstNotUtf8(bytes: Uint8Array): number | undefined {
  return firstReplaced(bytes, new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes))?.byte;
}

/** The place of the first U+FFFD that the bytes do not spell out. */
function firstReplaced(bytes: Uint8Array, text: string): { byte: number; character: number } | undefined {
  const encoder = new TextEncoder();
  let byte = 0;
  let from = 0;
  for (let found = text.indexOf(REPLACEMENT); found >= 0; found = text.indexOf(REPLACEMENT, from)) {
    byte += encoder.encode(text.slice(from, found)).length;
    if (REPLACEMENT_BYTES.some((expected, index) => bytes[byte + index] !== expected))
      return { byte, character: found };
    byte += REPLACEMENT_BYTES.length;
    from = found + 1;
  }
  return undefined;
}
