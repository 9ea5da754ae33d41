import { kindOf, toJson } from '@svc/protocol/cel';
import { Content } from '../../../foundation/contracts/content.ts';
import { mask } from '../../../foundation/observe/mask.ts';
import type { Limits } from './limits.ts';
import type { Taint } from './taint.ts';

/** Names whose text and secrecy are remembered; those of a program are few, those of messages may be many. */
const mostNames = 4_096;
const longestName = 64;

interface Name {
  /** The name as JSON with its colon. */
  readonly text: string;
  readonly isHidden: boolean;
}

/** Member names as JSON, with whether their values are hidden. */
export class Names {
  readonly #hides: (name: string) => boolean;
  readonly #known = new Map<string, Name>();

  constructor(hides: (name: string) => boolean) {
    this.#hides = hides;
  }

  get(name: string): Name {
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const made = { text: `${textOf(name)}:`, isHidden: this.#hides(name) };
    if (name.length > longestName) return made;
    if (this.#known.size >= mostNames) this.#known.clear();
    this.#known.set(name, made);
    return made;
  }
}

/**
 * Writes values as JSON in one pass: hidden members masked, and what is beyond the limits cut, which is said in place.
 * The values of one writer share the members that the limits allow altogether.
 */
export class ValueWriter {
  readonly #names: Names;
  readonly #limits: Limits;
  readonly #taint: Taint | undefined;
  #left: number;

  /** `taint`: what is masked besides, wherever it is. */
  constructor(names: Names, limits: Limits, taint?: Taint) {
    this.#taint = taint;
    this.#names = names;
    this.#limits = limits;
    this.#left = limits.total;
  }

  write(value: unknown, depth = 0): string {
    switch (typeof value) {
      case 'string':
        return this.#text(value);
      case 'number':
        return Number.isFinite(value) ? `${value}` : 'null';
      case 'boolean':
        return value ? 'true' : 'false';
      case 'object':
        return value === null ? 'null' : this.#object(value, depth);
      default:
        return plain(value);
    }
  }

  #object(value: object, depth: number): string {
    if (Array.isArray(value)) return depth >= this.#limits.depth ? '"[…]"' : this.#list(value, depth);
    if (value instanceof Error) return this.#text(value.message);
    const kind = kindOf(value);
    if (kind === 'bytes' && (value as Uint8Array).byteLength > this.#limits.text) return '"[bytes …]"';
    if (kind !== 'map') return plain(value);
    if (depth >= this.#limits.depth) return '"{…}"';
    return this.#map(value instanceof Content ? value.shown : value, depth);
  }

  #text(whole: string): string {
    const text = this.#taint === undefined ? whole : this.#taint.clean(whole);
    const { text: most } = this.#limits;
    return textOf(text.length <= most ? text : `${text.slice(0, most)}… (${text.length} characters)`);
  }

  #list(list: readonly unknown[], depth: number): string {
    let text = '[';
    for (let at = 0; at < list.length; at++) {
      if (at > 0) text += ',';
      if (at >= this.#limits.members || --this.#left < 0) {
        text += `"… ${list.length - at} more"`;
        break;
      }
      text += this.write(list[at], depth + 1);
    }
    return `${text}]`;
  }

  #map(map: object, depth: number): string {
    const fields: Record<string, unknown> =
      map instanceof Map
        ? Object.fromEntries([...map].map(([key, item]) => [String(key), item]))
        : (map as Record<string, unknown>);
    const names = Object.keys(fields);
    let text = '{';
    let count = 0;
    for (const name of names) {
      const item = fields[name];
      if (item === undefined) continue;
      if (count > 0) text += ',';
      if (count >= this.#limits.members || --this.#left < 0) {
        text += `"…":"${names.length - count} more"`;
        break;
      }
      count++;
      const shownName = this.#taint === undefined ? name : this.#taint.clean(name);
      const { text: begin } = this.#names.get(shownName);
      const isHidden = this.#names.get(name).isHidden || (this.#taint?.hidesName(name) ?? false);
      text += begin;
      text += isHidden && item !== null ? hidden : this.write(item, depth + 1);
    }
    return `${text}}`;
  }
}

/** A value other than a list, map or text. One that JSON cannot carry, such as a date after 9999, does not fail the flow. */
function plain(value: unknown): string {
  try {
    return JSON.stringify(toJson(value));
  } catch (error) {
    return textOf(`[${error instanceof Error ? error.message : String(error)}]`);
  }
}

const hidden = JSON.stringify(mask);

/** Below this length a loop is faster than the general way. */
const shortText = 16;

/** A text as JSON. */
export function textOf(text: string): string {
  if (text.length > shortText) return JSON.stringify(text);
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 0x20 || code > 0x7e || code === 0x22 || code === 0x5c) return JSON.stringify(text);
  }
  return `"${text}"`;
}
