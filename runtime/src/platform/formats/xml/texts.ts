import { setImmediate } from 'node:timers/promises';
import { TextDecoding } from '../text.ts';
import { charsetOf, declarationBytes } from './charset.ts';

/** Bytes that are parsed at once, in a few milliseconds. */
const partBytes = 16 * 1024;

/**
 * The text of a document of XML in the character set that it or its sender (`named`) says, in parts between which the event loop gets a turn. Throws
 * as `TextDecoding` does.
 */
export async function* textsOf(
  source: AsyncIterable<Uint8Array>,
  named?: string,
): AsyncGenerator<string, void, undefined> {
  let decoding: TextDecoding | undefined;
  let first: Uint8Array | undefined;
  for await (const bytes of source) {
    // The first bytes say the character set.
    const known: Uint8Array = first === undefined ? bytes : Buffer.concat([first, bytes]);
    first = undefined;
    if (decoding === undefined && known.length < declarationBytes) {
      first = known;
      continue;
    }
    decoding ??= new TextDecoding(charsetOf(known, named));
    for (let at = 0; at < known.length; at += partBytes) {
      if (at > 0) await setImmediate();
      yield decoding.write(known.subarray(at, at + partBytes));
    }
  }
  decoding ??= new TextDecoding(charsetOf(first ?? new Uint8Array(), named));
  if (first !== undefined) yield decoding.write(first);
  yield decoding.end();
}
