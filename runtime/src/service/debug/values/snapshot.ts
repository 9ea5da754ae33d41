import { Fields, kindOf } from '@svc/protocol/cel';
import { isNeverShown, mask, namesCredential } from '../../../foundation/observe/mask.ts';
import type { Limits } from './limits.ts';
import type { Taint } from './taint.ts';
import { Names, ValueWriter } from './value-text.ts';

/** For events, which are many. */
export const eventLimits: Limits = { depth: 12, members: 100, total: 2_000, text: 4_096 };
/** For what a client asks for. */
export const askedLimits: Limits = { depth: 24, members: 1_000, total: 20_000, text: 262_144 };

function hidesName(name: string, masksNames: boolean): boolean {
  return isNeverShown(name) || (masksNames && namesCredential(name));
}

const neverShownNames = new Names((name) => hidesName(name, false));
const credentials = new Names((name) => hidesName(name, true));

/** Decides which names hold what is not shown. */
export class Secrecy {
  readonly masksNames: boolean;
  readonly #taint: Taint | undefined;
  readonly #names: Names;

  /**
   * `masksNames`: fields and headers named like credentials are masked too, as in staging and production. `taint`: what
   * a run has read of what is hidden.
   */
  constructor(masksNames: boolean, taint?: Taint) {
    this.masksNames = masksNames;
    this.#taint = taint;
    this.#names = masksNames ? credentials : neverShownNames;
  }

  hides(name: string): boolean {
    return hidesName(name, this.masksNames) || (this.#taint?.hidesName(name) ?? false);
  }

  /** A text with what is hidden masked. */
  clean(text: string): string {
    return this.#taint?.clean(text) ?? text;
  }

  /** Whether a rule with this target computes what is not shown. */
  hidesTarget(target: string): boolean {
    return this.hides(target.slice(target.lastIndexOf('.') + 1));
  }

  /** A copy as JSON carries it, with hidden values masked and what is beyond the limits cut, which is said in place. */
  show(value: unknown, limits: Limits): unknown {
    return JSON.parse(this.write(value, limits));
  }

  /** The same as the text of the JSON. */
  write(value: unknown, limits: Limits): string {
    return new ValueWriter(this.#names, limits, this.#taint).write(value);
  }

  /** Shows several values, which share the members that the limits allow altogether. */
  shower(limits: Limits): (value: unknown) => unknown {
    const writer = new ValueWriter(this.#names, limits, this.#taint);
    return (value) => JSON.parse(writer.write(value));
  }

  /** The value with hidden members masked, itself when it has no hidden member; what expressions of a client read. */
  masked(value: unknown, depth = 0): unknown {
    if (depth > deepestMask) return undefined;
    if (typeof value === 'string') return this.clean(value);
    if (Array.isArray(value)) {
      const items = value.map((item) => this.masked(item, depth + 1));
      return items.some((item, at) => item !== value[at]) ? items : value;
    }
    if (kindOf(value) !== 'map') return value;
    if (value instanceof Map) {
      const entries = [...value].map(([key, item]): [unknown, unknown] => [
        key,
        item !== undefined && this.hides(String(key)) ? mask : this.masked(item, depth + 1),
      ]);
      return entries.some(([key, item]) => item !== value.get(key)) ? new Map(entries) : value;
    }
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
