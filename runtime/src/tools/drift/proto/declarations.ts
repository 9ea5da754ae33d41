import type { Origin } from '@svc/protocol/schema';

/** A string, a comment, a name, a number, or a sign. */
const token = /"(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?|\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|[\w.]+|[^\s\w]/g;

interface Word {
  readonly text: string;
  readonly start: number;
}

/** What braces are around. */
interface Scope {
  readonly kind: 'message' | 'enum' | 'service' | 'oneof' | 'value' | 'other';
  /** The name of what is in it begins so. */
  readonly prefix: string;
  /** How much is declared in it. */
  members: number;
}

/** What a text declares. */
export interface Declarations {
  readonly found: ReadonlyMap<string, Origin>;
  /** Fields of the message, or values of the enum, that has most of them. */
  readonly mostMembers: number;
}

/** Characters of a name with package: what has a longer one is not found. */
const longestName = 1_000;

/**
 * Where a text of definitions declares services, methods, messages, fields, oneofs, enums and their values, by their names with
 * package. The text was read without problems before.
 */
export function declarationsIn(text: string, file: string): Declarations {
  const scanning = new Scanning(file);
  for (const match of text.matchAll(token)) {
    const [found] = match;
    if (!found.startsWith('//') && !found.startsWith('/*')) scanning.take({ text: found, start: match.index });
  }
  return scanning;
}

class Scanning implements Declarations {
  readonly found = new Map<string, Origin>();
  mostMembers = 0;
  readonly #file: string;
  readonly #scopes: Scope[] = [];
  #top: Scope = { kind: 'other', prefix: '', members: 0 };
  /** The words of a statement that has begun. */
  #words: Word[] = [];
  /** Brackets and parentheses that are open: braces in them are values of options. */
  #brackets = 0;

  constructor(file: string) {
    this.#file = file;
  }

  take(word: Word): void {
    const { text } = word;
    if (text === '[' || text === '(') this.#brackets++;
    else if (text === ']' || text === ')') this.#brackets--;
    if (this.#brackets > 0 || !';{}'.includes(text)) {
      this.#words.push(word);
      return;
    }
    const words = this.#words;
    this.#words = [];
    if (text === '}') this.#closed(this.#scopes.pop());
    else if (text === '{') this.#scopes.push(this.#opened(words));
    else this.#statement(words);
  }

  /** The fields of a oneof are those of its message. */
  #closed(scope: Scope | undefined): void {
    if (scope?.kind === 'oneof') this.#scope.members = scope.members;
  }

  get #scope(): Scope {
    return this.#scopes.at(-1) ?? this.#top;
  }

  #opened(words: readonly Word[]): Scope {
    const scope = this.#scope;
    const [first, name] = words;
    const kind = first?.text ?? '';
    if (scope.kind === 'value' || kind === 'option') return { kind: 'value', prefix: scope.prefix, members: 0 };
    if (name !== undefined && (kind === 'message' || kind === 'enum' || kind === 'service')) {
      this.#declare(name);
      return { kind, prefix: `${scope.prefix}${name.text}.`, members: 0 };
    }
    if (name !== undefined && kind === 'oneof') {
      this.#declare(name);
      return { kind, prefix: scope.prefix, members: scope.members };
    }
    if (name !== undefined && kind === 'rpc') this.#declare(name);
    const group = words.findIndex(({ text }) => text === 'group');
    const owner = group < 0 ? undefined : words[group + 1];
    if (owner === undefined) return { kind: 'other', prefix: scope.prefix, members: 0 };
    this.#declare(owner);
    this.#declare({ ...owner, text: owner.text.toLowerCase() });
    return { kind: 'message', prefix: `${scope.prefix}${owner.text}.`, members: 0 };
  }

  #statement(words: readonly Word[]): void {
    const [first, second] = words;
    if (first === undefined || second === undefined) return;
    const { kind } = this.#scope;
    if (this.#scopes.length === 0) {
      if (first.text === 'package') this.#top = { kind: 'other', prefix: `${second.text}.`, members: 0 };
      return;
    }
    if (first.text === 'option' || first.text === 'reserved' || first.text === 'extensions') return;
    if (kind === 'service' && first.text === 'rpc') this.#declare(second);
    else if (kind === 'enum') this.#declare(first);
    else if (kind === 'message' || kind === 'oneof') {
      const name = words[words.findIndex(({ text }) => text === '=') - 1];
      if (name !== undefined) this.#declare(name);
    }
  }

  #declare({ text, start }: Word): void {
    const scope = this.#scope;
    scope.members++;
    // A package has any number of messages.
    if (scope !== this.#top) this.mostMembers = Math.max(this.mostMembers, scope.members);
    if (scope.prefix.length + text.length > longestName) return;
    const name = `${scope.prefix}${text}`;
    if (!this.found.has(name)) this.found.set(name, { file: this.#file, range: { start, end: start + text.length } });
  }
}
