import { Buffer } from 'node:buffer';
import { Failure } from '../../../errors/failure.ts';
import type { Limits } from './limits.ts';

type Fields = Record<string, unknown>;

const printable = /^[\x20-\x7e]*$/;
/** Below this length a loop is faster than asking a regular expression. */
const shortText = 32;
const bidi = /[\u202a-\u202e\u2066-\u2069]/g;
const hasBidi = /[\u202a-\u202e\u2066-\u2069]/;

/**
 * Checks one message in place (supplement 2.10, decisions 46): its size and depth, the length of each text, control
 * characters and broken Unicode, which refuse it, and bidirectional overrides, which are removed. Keys are held to the
 * same. Throws `input_refused` with the path of the field.
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
    const { files } = input;
    const uploads = isFields(files) ? new Set<unknown>(Object.values(files).flat()) : undefined;
    let size = 2;
    for (const name in input) {
      const value = input[name];
      if (typeof value === 'string' && isPlain(name)) {
        size += name.length + value.length;
        if (value.length > this.#limits.fieldLength || !isPlain(value)) input[name] = this.#text(value, name);
      } else {
        size += name.length + this.#field(input, name, value, name, 1, uploads);
      }
    }
    // Each unit of a text takes at most six bytes of JSON, so only large messages are measured.
    if (size * 6 > this.#limits.inputLength) this.#measure(input, uploads);
  }

  /** Sanitizes `parent[name]` and gives an estimate of its size in characters. */
  #field(
    parent: Fields,
    name: string,
    value: unknown,
    path: string,
    depth: number,
    uploads: Set<unknown> | undefined,
  ): number {
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
    return name.length + 4 + this.#nested(value, path, depth, uploads);
  }

  #nested(value: unknown, path: string, depth: number, uploads: Set<unknown> | undefined): number {
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
        } else size += this.#nested(item, `${path}[${at}]`, depth + 1, uploads) + 1;
      }
      return size;
    }
    const fields = value as Fields;
    const isUpload = uploads?.has(value) === true;
    for (const name in fields) {
      if (isUpload && name === 'data') continue;
      const item = fields[name];
      if (typeof item === 'string' && item.length <= this.#limits.fieldLength && isPlain(item) && isPlain(name))
        size += item.length + name.length + 6;
      else size += this.#field(fields, name, item, `${path}.${name}`, depth + 1, uploads);
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

  #measure(input: Fields, uploads: Set<unknown> | undefined): void {
    if (Buffer.byteLength(this.#json(input, uploads)) <= this.#limits.inputLength) return;
    throw new Failure('input_refused', `the message is larger than ${this.#limits.inputLength} bytes`);
  }

  #json(input: Fields, uploads: Set<unknown> | undefined): string {
    // A replacer takes many times as long, and few messages need one.
    if (uploads === undefined)
      try {
        return JSON.stringify(input);
      } catch {
        // An integer beyond 2^53-1 is in it.
      }
    return JSON.stringify(input, function (this: unknown, name, value: unknown) {
      if (name === 'data' && uploads?.has(this)) return undefined;
      return typeof value === 'bigint' ? String(value) : value;
    });
  }
}

/** Printable ASCII needs no second look, and nearly every text is nothing else. */
function isPlain(text: string): boolean {
  const { length } = text;
  if (length > shortText) return printable.test(text);
  for (let at = 0; at < length; at++) {
    const code = text.charCodeAt(at);
    if (code < 0x20 || code > 0x7e) return false;
  }
  return true;
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Names in the path come from the message too: what they hold beyond plain text is not repeated. */
function refused(path: string, code: string, problem: string): Failure {
  const field = path.replace(/[^\x20-\x7e]/g, '?').slice(0, 200);
  return new Failure('input_refused', `${field} ${problem}`, { fields: [{ field, code, message: problem }] });
}
