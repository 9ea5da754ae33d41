import { Failure } from '../../../foundation/errors/failure.ts';
import { TextDecoding } from '../text.ts';

/** Characters of one line of a file whose size is not known. */
export const longestLine = 1024 * 1024;

/**
 * The lines of a file in UTF-8 without their ends (`\n`, `\r\n`, `\r`), wherever the bytes are divided. What is kept is the line
 * that is not whole. Throws `body_undecodable`, and `body_too_large` for a line that is too long.
 */
export async function* linesOf(source: AsyncIterable<Uint8Array>): AsyncGenerator<string, void, undefined> {
  const decoding = new TextDecoding();
  const parts: string[] = [];
  let held = 0;
  let number = 1;
  /** The text before ended with a carriage return, so that a line feed belongs to it. */
  let isAfterReturn = false;
  function* split(text: string): Generator<string> {
    let at = 0;
    if (isAfterReturn && text.length > 0) {
      if (text.startsWith('\n')) at = 1;
      isAfterReturn = false;
    }
    for (let end = nextEnd(text, at); end >= 0; end = nextEnd(text, at)) {
      const line = parts.length === 0 ? text.slice(at, end) : parts.join('') + text.slice(at, end);
      parts.length = 0;
      held = 0;
      if (line.length > longestLine) throw tooLong(number);
      yield line;
      number++;
      at = end + 1;
      if (text[end] !== '\r') continue;
      if (at === text.length) isAfterReturn = true;
      else if (text[at] === '\n') at++;
    }
    if (at === text.length) return;
    parts.push(text.slice(at));
    held += text.length - at;
    if (held > longestLine) throw tooLong(number);
  }
  for await (const bytes of source) yield* split(decoding.write(bytes));
  yield* split(decoding.end());
  if (held > 0) yield parts.join('');
}

function nextEnd(text: string, from: number): number {
  const feed = text.indexOf('\n', from);
  const carriage = text.indexOf('\r', from);
  if (feed < 0 || carriage < 0) return Math.max(feed, carriage);
  return Math.min(feed, carriage);
}

function tooLong(number: number): Failure {
  return new Failure('body_too_large', `line ${number} is longer than ${longestLine} characters`);
}
