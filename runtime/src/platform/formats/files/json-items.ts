import { Failure } from '../../../foundation/errors/failure.ts';
import { largestWhole } from './whole.ts';

const code = {
  quote: 0x22,
  comma: 0x2c,
  beginList: 0x5b,
  escape: 0x5c,
  endList: 0x5d,
  beginMap: 0x7b,
  endMap: 0x7d,
} as const;

/** Bytes of one item of a list. */
const largestItem = 8 * 1024 * 1024;

/**
 * The items of a document that is a list, each as its bytes and as soon as it is whole, wherever the document is divided; of
 * any other document the whole as one. What an item holds is not looked at: the caller that decodes it finds what is wrong there.
 * Throws `body_undecodable` for a list that is malformed, and `body_too_large` for an item that is too long.
 */
export async function* itemsOf(source: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer, void, undefined> {
  const items = new Items();
  for await (const bytes of source) yield* items.take(bytes);
  yield* items.end();
}

/** Where in the document the next byte is. */
type Place = 'before' | 'in-list' | 'in-item' | 'after-item' | 'behind' | 'single';

class Items {
  #place: Place = 'before';
  #depth = 0;
  #isText = false;
  #isEscaped = false;
  /** Bytes of the item that has begun. */
  #parts: Uint8Array[] = [];
  #size = 0;
  #count = 0;

  *take(bytes: Uint8Array): Generator<Buffer> {
    let from = 0;
    for (let at = 0; at < bytes.length; at++) {
      const byte = bytes[at] as number;
      if (this.#place === 'in-item') {
        if (this.#isText) {
          at = this.#throughText(bytes, at);
          continue;
        }
        if (byte === code.quote) this.#isText = true;
        else if (byte === code.beginList || byte === code.beginMap) this.#depth++;
        else if (this.#depth === 0 && (byte === code.comma || byte === code.endList)) {
          yield this.#item(bytes.subarray(from, at));
          this.#place = byte === code.comma ? 'after-item' : 'behind';
        } else if (byte === code.endList || byte === code.endMap) this.#depth--;
        continue;
      }
      if (this.#place === 'single') break;
      if (isBlank(byte) || (this.#count === 0 && this.#isMark(byte))) continue;
      if (this.#place === 'before' && byte === code.beginList) this.#place = 'in-list';
      else if (this.#place === 'before') {
        this.#place = 'single';
        from = at;
      } else if (this.#place === 'in-list' && byte === code.endList) this.#place = 'behind';
      else if (this.#place === 'behind') throw malformed('something follows its list');
      else if (byte === code.comma || byte === code.endList) throw malformed(`item ${this.#count + 1} is empty`);
      else {
        this.#place = 'in-item';
        from = at;
        at--;
      }
    }
    if (this.#place === 'in-item' || this.#place === 'single') this.#keep(bytes.subarray(from));
  }

  *end(): Generator<Buffer> {
    if (this.#place === 'single') yield this.#item(new Uint8Array());
    else if (this.#place === 'before') throw malformed('it is empty');
    else if (this.#place !== 'behind') throw malformed('its list has no end');
  }

  /** Passes over a text, or what the bytes have of it; where it ends. */
  #throughText(bytes: Uint8Array, from: number): number {
    for (let at = from; at < bytes.length; at++) {
      if (this.#isEscaped) this.#isEscaped = false;
      else if (bytes[at] === code.escape) this.#isEscaped = true;
      else if (bytes[at] === code.quote) {
        this.#isText = false;
        return at;
      }
    }
    return bytes.length;
  }

  /** A byte order mark is before everything. */
  #isMark(byte: number): boolean {
    return this.#place === 'before' && (byte === 0xef || byte === 0xbb || byte === 0xbf);
  }

  #keep(part: Uint8Array): void {
    const most = this.#place === 'single' ? largestWhole : largestItem;
    this.#size += part.length;
    if (this.#size > most)
      throw new Failure('body_too_large', `item ${this.#count + 1} of the file is larger than ${most} bytes`);
    if (part.length > 0) this.#parts.push(Uint8Array.prototype.slice.call(part));
  }

  #item(last: Uint8Array): Buffer {
    this.#keep(last);
    const bytes = Buffer.concat(this.#parts);
    this.#parts = [];
    this.#size = 0;
    this.#count++;
    return bytes;
  }
}

function isBlank(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

function malformed(reason: string): Failure {
  return new Failure('body_undecodable', `the file is not valid JSON: ${reason}`);
}
