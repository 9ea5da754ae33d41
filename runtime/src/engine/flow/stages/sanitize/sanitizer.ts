import { Buffer } from 'node:buffer';
import { Content } from '../../../../foundation/contracts/content.ts';
import { Failure } from '../../../../foundation/errors/failure.ts';
import type { Limits } from './limits.ts';

type Fields = Record<string, unknown>;

const printable = /^[\x20-\x7e]*$/;
/** Below this length a loop is faster than asking a regular expression. */
const shortText = 32;
const bidi = /[\u202a-\u202e\u2066-\u2069]/g;
const hasBidi = /[\u202a-\u202e\u2066-\u2069]/;

/**
 * Checks one message in place (docs/specification/flow.md#sanitizing): its size and depth, the length of each text,
 * control characters and broken Unicode, which refuse it, and bidirectional overrides, which are removed. Keys are
 * checked in the same way. Throws `input_refused` with the path of the field.
 */
export class Sanitizer {
  readonly #limits: Limits;
  readonly #control: RegExp;

  constructor(limits: Limits) {
    this.#limits = limits;
    const refused = Array.from({ length: 0x20 }, (_, code) => String.fromCharCode(code))
      .filter((letter) => !limits.allowed.includes(letter))
      .map((letter) => `\\x${letter.charCodeAt(0).toString(16).padStart(2, '0')}`);
    this.#control = new RegExp(`[${refused.join('')}]`);
  }

  sanitize(input: Fields): void {
    let size = 2;
    for (const name in input) {
      const value = input[name];
      if (typeof value === 'string' && isPlain(name)) {
        size += name.length + value.length;
        if (value.length > this.#limits.fieldLength || !isPlain(value)) input[name] = this.#text(value, name);
      } else {
        size += name.length + this.#field(input, name, value, name, 1);
      }
    }
    // Each unit of a text takes at most six bytes of JSON, so only large messages are measured.
    if (size * 6 > this.#limits.inputLength) this.#measure(input);
  }

  /** Sanitizes `parent[name]` and gives an estimate of its size in characters. */
  #field(parent: Fields, name: string, value: unknown, path: string, depth: number): number {
    if (!isPlain(name)) {
      const clean = this.#text(name, path);
      if (clean !== name) {
        delete parent[name];
        parent[clean] = value;
        name = clean;
      }
    }
    if (typeof value === 'string') {
      if (value.length > this.#limits.fieldLength || !isPlain(value)) parent[name] = this.#text(value, path);
      return value.length + name.length + 6;
    }
    return name.length + 4 + this.#nested(value, path, depth);
  }

  #nested(value: unknown, path: string, depth: number): number {
    if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return 24;
    if (depth > this.#limits.depth) {
      throw refused(path, 'max_depth', `is nested deeper than ${this.#limits.depth} levels`);
    }
    let size = 2;
    if (Array.isArray(value)) {
      for (let at = 0; at < value.length; at++) {
        const item: unknown = value[at];
        if (typeof item === 'string') {
          if (item.length > this.#limits.fieldLength || !isPlain(item)) value[at] = this.#text(item, `${path}[${at}]`);
          size += item.length + 3;
        } else size += this.#nested(item, `${path}[${at}]`, depth + 1) + 1;
      }
      return size;
    }
    const fields = value as Fields;
    for (const name in fields) {
      const item = fields[name];
      if (typeof item === 'string' && item.length <= this.#limits.fieldLength && isPlain(item) && isPlain(name))
        size += item.length + name.length + 6;
      else size += this.#field(fields, name, item, `${path}.${name}`, depth + 1);
    }
    return size;
  }

  /** A text without bidirectional overrides. */
  #text(value: string, path: string): string {
    const { fieldLength } = this.#limits;
    if (value.length > fieldLength || (value.length * 3 > fieldLength && Buffer.byteLength(value) > fieldLength)) {
      throw refused(path, 'max_field_length', `is longer than ${fieldLength} bytes`);
    }
    if (this.#control.test(value)) throw refused(path, 'control_character', 'holds a control character');
    if (!value.isWellFormed()) throw refused(path, 'invalid_text', 'is not valid Unicode text');
    return hasBidi.test(value) ? value.replace(bidi, '') : value;
  }

  #measure(input: Fields): void {
    if (Buffer.byteLength(json(withoutContents(input))) <= this.#limits.inputLength) return;
    throw new Failure('input_refused', `the message is larger than ${this.#limits.inputLength} bytes`);
  }
}

function json(value: unknown): string {
  // A replacer takes many times as long, and few messages need one.
  try {
    return JSON.stringify(value);
  } catch {
    // An integer beyond 2^53-1 is in it.
    return JSON.stringify(value, (_, item: unknown) => (typeof item === 'bigint' ? String(item) : item));
  }
}

/** The value with files as what is known about them, which no limit of texts applies to; itself without files. */
function withoutContents(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value;
  if (value instanceof Content) return { filename: value.filename, content_type: value.content_type };
  if (Array.isArray(value)) {
    const items = value.map(withoutContents);
    return items.some((item, at) => item !== value[at]) ? items : value;
  }
  let copy: Fields | undefined;
  for (const name in value) {
    const item = (value as Fields)[name];
    const without = withoutContents(item);
    if (without !== item) (copy ??= { ...value })[name] = without;
  }
  return copy ?? value;
}

/** Printable ASCII needs no further check, and nearly every text consists of it. */
function isPlain(text: string): boolean {
  const { length } = text;
  if (length > shortText) return printable.test(text);
  for (let at = 0; at < length; at++) {
    const code = text.charCodeAt(at);
    if (code < 0x20 || code > 0x7e) return false;
  }
  return true;
}

/** Names in the path come from the message too: characters beyond plain text are not repeated. */
function refused(path: string, code: string, problem: string): Failure {
  const field = path.replace(/[^\x20-\x7e]/g, '?').slice(0, 200);
  return new Failure('input_refused', `${field} ${problem}`, { fields: [{ field, code, message: problem }] });
}
