import { Fields, kindOf, toJson } from '@svc/protocol/cel';
import { mask, namesCredential } from '../observe/mask.ts';

/** How much of a value is shown. */
export interface Limits {
  readonly depth: number;
  /** Members of one list or map. */
  readonly members: number;
  /** Members altogether. */
  readonly total: number;
  /** Characters of one text. */
  readonly text: number;
}

/** For events, which are many. */
export const eventLimits: Limits = { depth: 12, members: 100, total: 2_000, text: 4_096 };
/** For what somebody asks for. */
export const askedLimits: Limits = { depth: 24, members: 1_000, total: 20_000, text: 262_144 };

const neverShown = /^(?:proxy-)?authorization$|^(?:set-)?cookie$/i;

/** Decides which names hold what is not shown (decisions 40). */
export class Secrecy {
  readonly #masksNames: boolean;

  /** `masksNames`: fields and headers named like credentials are masked too, as in staging and production. */
  constructor(masksNames: boolean) {
    this.#masksNames = masksNames;
  }

  hides(name: string): boolean {
    return neverShown.test(name) || (this.#masksNames && namesCredential(name));
  }

  /** Whether a rule with this target computes what is not shown. */
  hidesTarget(target: string): boolean {
    return this.hides(target.slice(target.lastIndexOf('.') + 1));
  }

  /** A copy as JSON carries it, with hidden values masked and what is beyond the limits cut, which is said in place. */
  show(value: unknown, limits: Limits): unknown {
    return new Copy(this, limits).of(value, 0);
  }

  /** The value with hidden members masked, itself when it has none; what expressions of a client read. */
  masked(value: unknown, depth = 0): unknown {
    if (depth > deepestMask) return undefined;
    if (Array.isArray(value)) {
      const items = value.map((item) => this.masked(item, depth + 1));
      return items.some((item, at) => item !== value[at]) ? items : value;
    }
    if (kindOf(value) !== 'map' || value instanceof Map) return value;
    const map = value as Record<string, unknown>;
    let copy: Record<string, unknown> | undefined;
    for (const name of Object.keys(map)) {
      const shown = map[name] !== undefined && this.hides(name) ? mask : this.masked(map[name], depth + 1);
      if (shown === map[name]) continue;
      copy ??= Object.assign(new Fields(), map);
      copy[name] = shown;
    }
    return copy ?? value;
  }
}

/** Values nested deeper are out of reach of a client's expressions. */
const deepestMask = 64;

class Copy {
  readonly #secrecy: Secrecy;
  readonly #limits: Limits;
  #left: number;

  constructor(secrecy: Secrecy, limits: Limits) {
    this.#secrecy = secrecy;
    this.#limits = limits;
    this.#left = limits.total;
  }

  of(value: unknown, depth: number): unknown {
    if (typeof value === 'string') return this.#text(value);
    if (typeof value !== 'object' || value === null) return toJson(value);
    if (Array.isArray(value)) return depth >= this.#limits.depth ? '[…]' : this.#list(value, depth);
    if (value instanceof Error) return this.#text(value.message);
    if (kindOf(value) === 'bytes')
      return (value as Uint8Array).byteLength > this.#limits.text ? '[bytes …]' : toJson(value);
    if (kindOf(value) !== 'map') return toJson(value);
    return depth >= this.#limits.depth ? '{…}' : this.#map(value, depth);
  }

  #text(text: string): string {
    const { text: most } = this.#limits;
    return text.length <= most ? text : `${text.slice(0, most)}… (${text.length} characters)`;
  }

  #list(list: readonly unknown[], depth: number): unknown[] {
    const copy: unknown[] = [];
    for (const item of list) {
      if (copy.length >= this.#limits.members || --this.#left < 0) {
        copy.push(`… ${list.length - copy.length} more`);
        break;
      }
      copy.push(this.of(item, depth + 1));
    }
    return copy;
  }

  #map(map: object, depth: number): Record<string, unknown> {
    const copy = new Fields();
    const entries =
      map instanceof Map ? [...map].map(([key, item]) => [String(key), item] as const) : Object.entries(map);
    let count = 0;
    for (const [name, item] of entries) {
      if (item === undefined) continue;
      if (count >= this.#limits.members || --this.#left < 0) {
        copy['…'] = `${entries.length - count} more`;
        break;
      }
      count++;
      copy[name] = item !== null && this.#secrecy.hides(name) ? mask : this.of(item, depth + 1);
    }
    return copy;
  }
}
