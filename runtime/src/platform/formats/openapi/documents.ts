import { posix } from 'node:path';
import { NoOpenApi } from './no-openapi.ts';
import { parseDescription } from './parse.ts';

/** Where a description is read from. */
export interface DescriptionFile {
  readonly text: string;
  /** Below the folder that `read` reads, with `/`. */
  readonly path: string;
  /** The text of a file of that folder by its path. Throws an Error that says why it cannot be read. */
  readonly read: (path: string) => string;
}

/** A value of a document, and where it is: `pointer` is a JSON pointer (RFC 6901). */
export interface Located {
  readonly value: unknown;
  readonly file: string;
  readonly pointer: string;
}

/** What no reader understands, at its place. */
export interface Unread extends Located {
  readonly why: string;
  /** Whether it is a reference that leads to nothing: the schema that it names is not known. */
  readonly isBroken: boolean;
}

/** Files that one description may consist of, characters in all of them, and references one after another. */
export const mostDocuments = 100;
export const mostCharacters = 16 * 1024 * 1024;
const longestChain = 50;

/** Values that may be looked at: references let a small document have very many places. */
const mostSteps = 1_000_000;

/** A description and the files beside it that its references name. Nothing is fetched. */
export class Documents {
  readonly root: Located;
  readonly unread: Unread[] = [];
  readonly #read: DescriptionFile['read'];
  readonly #values = new Map<string, unknown>();
  #characters = 0;
  #steps = 0;

  /** Throws NoOpenApi. */
  constructor({ text, path, read }: DescriptionFile) {
    this.#read = read;
    const file = posix.normalize(path);
    this.#count(text);
    const value = parseDescription(text, undefined);
    this.#values.set(file, value);
    this.root = { value, file, pointer: '' };
  }

  /** Counts values that are looked at. Throws NoOpenApi where a description makes more work than any of a person does. */
  step(count = 1): void {
    this.#steps += count;
    if (this.#steps > mostSteps) throw new NoOpenApi('its references repeat each other too often');
  }

  /** The members of an object, or the elements of a list, by their names; each is counted. */
  childrenOf(at: Located | undefined): readonly (readonly [string, Located])[] {
    const found = childrenOf(at);
    this.step(found.length);
    return found;
  }

  leave(at: Located, why: string): void {
    this.unread.push({ ...at, why, isBroken: false });
  }

  /** Notes a reference that leads to nothing. */
  break(at: Located, why: string): void {
    this.unread.push({ ...at, why, isBroken: true });
  }

  /** What a reference names, or the value itself; undefined, and noted, where that cannot be read. */
  resolve(at: Located): Located | undefined {
    let found = at;
    for (let count = 0; ; count++) {
      this.step();
      const reference = member(found.value, '$ref');
      if (reference === undefined) {
        if (found === at || isDescribing(found.value)) return found;
        this.break(at, 'its reference names neither an object nor true or false');
        return undefined;
      }
      if (typeof reference !== 'string') {
        this.break(at, 'its reference is not a text');
        return undefined;
      }
      if (count >= longestChain) {
        this.break(at, 'its references lead in a circle');
        return undefined;
      }
      const next = this.#named(reference, found);
      if (next === undefined) return undefined;
      found = next;
    }
  }

  #named(reference: string, at: Located): Located | undefined {
    const [path = '', fragment = ''] = reference.split('#', 2);
    const file = path === '' ? at.file : this.#located(path, at);
    if (file === undefined) return undefined;
    const value = path === '' ? this.#values.get(file) : this.#loaded(file, at);
    if (value === undefined) return undefined;
    let found: Located = { value, file, pointer: '' };
    if (fragment !== '' && !fragment.startsWith('/')) {
      this.break(at, `the reference ${shown(reference)} names an anchor, and only pointers are followed`);
      return undefined;
    }
    for (const part of decoded(fragment).split('/').slice(1)) {
      const next = child(found, part.replaceAll('~1', '/').replaceAll('~0', '~'));
      if (next === undefined) {
        this.break(at, `the reference ${shown(reference)} leads nowhere`);
        return undefined;
      }
      found = next;
    }
    return found;
  }

  #located(path: string, at: Located): string | undefined {
    const why = /^(?:[a-z][a-z0-9+.-]*:|[/\\])/i.test(path) ? 'nothing is fetched' : undefined;
    const found = why === undefined ? posix.join(posix.dirname(at.file), decoded(path)) : '';
    if (why === undefined && found !== '..' && !found.startsWith('../')) return found;
    this.break(
      at,
      `the reference to ${shown(path)}: ${why ?? 'it is outside of the folder'}; save it beside the file, and write its path relative to that`,
    );
    return undefined;
  }

  #loaded(file: string, at: Located): unknown {
    if (this.#values.has(file)) return this.#values.get(file);
    if (this.#values.size >= mostDocuments) throw new NoOpenApi(`it refers to more than ${mostDocuments} files`);
    let text: string;
    try {
      text = this.#read(file);
    } catch (error) {
      this.break(at, `of what it refers to, ${(error as Error).message}`);
      return undefined;
    }
    this.#count(text);
    const value = parseDescription(text, file);
    this.#values.set(file, value);
    return value;
  }

  #count(text: string): void {
    this.#characters += text.length;
    if (this.#characters > mostCharacters)
      throw new NoOpenApi(`it and what it refers to are larger than ${mostCharacters / 1024 / 1024} MiB`);
  }
}

/** Whether a value can say something of others, as schemas, parameters and answers do. */
function isDescribing(value: unknown): boolean {
  return typeof value === 'boolean' || (typeof value === 'object' && value !== null && !Array.isArray(value));
}

/** An own member of an object; undefined for anything else. */
export function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined;
}

/** A member or an element with its place; undefined where there is nothing. */
export function child({ value, file, pointer }: Located, name: string): Located | undefined {
  const found = Array.isArray(value) && !/^(?:0|[1-9]\d*)$/.test(name) ? undefined : member(value, name);
  if (found === undefined) return undefined;
  return { value: found, file, pointer: `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}` };
}

/** The members of an object, or the elements of a list, by their names; none of anything else. */
export function childrenOf(at: Located | undefined): readonly (readonly [string, Located])[] {
  if (at === undefined || typeof at.value !== 'object' || at.value === null) return [];
  return Object.keys(at.value).flatMap((name) => {
    const found = child(at, name);
    return found === undefined ? [] : [[name, found] as const];
  });
}

/** A text of an object, or undefined. */
export function textOf(value: unknown, name: string): string | undefined {
  const found = member(value, name);
  return typeof found === 'string' ? found : undefined;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function shown(text: string): string {
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}
