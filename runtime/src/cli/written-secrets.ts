import type { AttributeSpec, BlockSpec } from '@svc/protocol/schema';
import type { Diagnostic, Range } from '@svc/protocol/text';
import { vocabulary } from '../checks/vocabulary.ts';
import { mask, namesCredential } from '../foundation/observe/mask.ts';

/**
 * Where texts of a file are secrets: what is written under the names of attributes that are marked secret, or that are like
 * those of credentials, wherever they are, and credentials of URLs. It is read from the characters alone, because the file
 * that is shown is often one that no parser understands. What `env` and `file` are given, and constants, is not secret.
 */
export function secretRanges(text: string): readonly Range[] {
  const found: Range[] = [];
  let end = 0;
  for (const { 1: name = '', 2: sign = '', index, 0: whole } of text.matchAll(assignment)) {
    // What is in a value was read with it, which keeps the work in proportion to the text.
    if (index < end || !isSecretName(name, sign)) continue;
    const written = new Written(text, index + whole.length);
    for (const range of written.ranges()) found.push(range);
    end = written.end;
  }
  for (const { index, 0: whole } of text.matchAll(/:\/\/[^\s"'`]*/g)) {
    const at = whole.lastIndexOf('@');
    if (at >= 0) found.push({ start: index + 3, end: index + at });
  }
  return merged(found);
}

/** The problem without secrets that the texts of files have. */
export function withoutSecrets(diagnostic: Diagnostic, secrets: ReadonlySet<string>): Diagnostic {
  const { message, help } = diagnostic;
  const clean = (text: string) => {
    let shown = text;
    for (const secret of secrets) shown = shown.replaceAll(secret, mask);
    return shown;
  };
  return { ...diagnostic, message: clean(message), help: help === undefined ? help : clean(help) };
}

/** Shorter ones would be found in ordinary words. */
const shortest = 6;

/** What may not be in messages. Words under names that are also those of other things are found in messages without them. */
export function secretTexts(text: string, ranges: readonly Range[]): readonly string[] {
  const texts = ranges.flatMap(({ start, end }) => text.slice(start, end).split('\n'));
  return texts.map((each) => each.trim()).filter((each) => each.length >= shortest && !isPlainWord(each));
}

/** A word of the language, such as the name of a field in `keys`. */
function isPlainWord(text: string): boolean {
  return /^[a-z]+(?:_[a-z]+)*$/.test(text) && text.length < 2 * shortest;
}

const known = namesOf();

const assignment = /(?<![\w.-])["']?([A-Za-z_][\w-]*)["']?\s*(=(?![=>])|:(?![:/])|\{)/g;

function isSecretName(name: string, sign: string): boolean {
  return sign === '{' ? known.blocks.has(name) : known.attributes.has(name) || namesCredential(name);
}

/** The attributes that are secret somewhere, and the blocks of which every field is. */
function namesOf() {
  const attributes = new Set<string>();
  const blocks = new Set<string>();
  const isSecret = ({ secret, element }: AttributeSpec) => secret || element?.secret === true;
  const seen = new Set<BlockSpec>();
  const visit = (spec: BlockSpec, word: string): void => {
    if (seen.has(spec)) return;
    seen.add(spec);
    if (spec.fields !== undefined && isSecret(spec.fields)) {
      blocks.add(word);
      attributes.add(word);
    }
    for (const [name, each] of Object.entries(spec.attributes))
      if (isSecret(each)) for (const spelling of [name, ...each.aliases]) attributes.add(spelling);
    for (const [name, each] of Object.entries(spec.blocks)) visit(each, name);
  };
  for (const [word, spec] of Object.entries(vocabulary.blocks)) visit(spec, word);
  for (const { config, operation } of vocabulary.connectors) {
    visit(config, '');
    if (operation !== undefined) visit(operation, '');
  }
  return { attributes, blocks };
}

function merged(ranges: readonly Range[]): readonly Range[] {
  const result: { start: number; end: number }[] = [];
  for (const { start, end } of [...ranges].sort((a, b) => a.start - b.start)) {
    const last = result.at(-1);
    if (last !== undefined && start <= last.end) last.end = Math.max(last.end, end);
    else result.push({ start, end });
  }
  return result;
}

/** What is written behind the sign of an attribute, or from the brace of a block. */
class Written {
  readonly #text: string;
  #at: number;
  #depth = 0;
  readonly #found: Range[] = [];

  constructor(text: string, at: number) {
    this.#text = text;
    this.#at = text[at - 1] === '{' ? at - 1 : at;
  }

  /** How far it was read. */
  get end(): number {
    return this.#at;
  }

  ranges(): readonly Range[] {
    this.#match(/\s*/y);
    const heredoc = this.#match(/<<-?([\w-]+)[^\n]*\n/y);
    if (heredoc !== undefined) return [this.#heredoc(heredoc[1] as string)];
    while (this.#at < this.#text.length && this.#part());
    return this.#found;
  }

  #heredoc(word: string): Range {
    const start = this.#at;
    const end = new RegExp(`^[ \\t]*${word}[ \\t]*$`, 'm').exec(this.#text.slice(start));
    this.#at = end === null ? this.#text.length : start + end.index;
    return { start, end: this.#at };
  }

  /** Reads one part; false at the end of the value. */
  #part(): boolean {
    if (this.#match(/[ \t\r]+/y)) return true;
    // A root block ends there, whatever is not closed before.
    if (this.#match(/\n(?!\})/y)) return this.#depth > 0;
    if (this.#match(/[[{(]/y)) return ++this.#depth > 0;
    if (this.#match(/[\]})]/y)) return --this.#depth >= 0;
    if (this.#match(/,/y)) return this.#depth > 0;
    if (/["'`]/.test(this.#text[this.#at] as string)) return this.#quoted();
    return this.#bare();
  }

  /** A text; one that is not closed ends with its line. */
  #quoted(): boolean {
    const before = this.#text.slice(Math.max(0, this.#at - 20), this.#at);
    const start = this.#at + 1;
    const quoted = this.#match(/"(?:\\.|[^"\\\n])*|'(?:\\.|[^'\\\n])*|`[^`\n]*/y)?.[0] ?? '';
    const isKey = this.#depth > 0 && /^["']\s*[=:]/.test(this.#text.slice(this.#at, this.#at + 4));
    const isName = isKey || /\b(?:env|file)\(\s*$/.test(before);
    if (!isName && quoted.length > 1) this.#found.push({ start, end: this.#at });
    this.#match(/["'`]/y);
    return true;
  }

  /** A word that is not in quotes: functions, constants and names stay. */
  #bare(): boolean {
    const start = this.#at;
    const word = this.#match(/[^\s,"'`[\]{}()]+/y)?.[0];
    if (word === undefined) return false;
    if (/^(?:#|\/\/)/.test(word) && this.#depth === 0) return false;
    const next = this.#text.slice(this.#at, this.#at + 40);
    if (/^\s*[=:](?!=)/.test(next)) return this.#depth > 0;
    const isKept = /^(?:true|false|null)$|^constants\./.test(word) || (next.startsWith('(') && /^\w+$/.test(word));
    if (!isKept && /\w/.test(word)) this.#found.push({ start, end: this.#at });
    return true;
  }

  #match(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text);
    if (found === null) return undefined;
    this.#at = pattern.lastIndex;
    return found[0] === '' ? undefined : found;
  }
}
