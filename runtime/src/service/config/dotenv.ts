import { join } from 'node:path';
import { LineIndex } from '@svc/protocol/text';
import { FileProblem, regularFile } from '../../foundation/disk/regular-file.ts';
import { decodeUtf8 } from '../../platform/formats/encoding.ts';

/** Variables by name, as a process environment is. */
export type Variables = Readonly<Record<string, string | undefined>>;

export interface DotenvProblem {
  /** From 1. */
  readonly line: number;
  readonly message: string;
}

export interface Dotenv {
  readonly values: Readonly<Record<string, string>>;
  readonly problems: readonly DotenvProblem[];
}

/**
 * Reads dotenv syntax (docs/specification/language.md#environment): `KEY=value`, `export KEY=value`, `KEY: value`,
 * comments, literal single quotes, double quotes with escapes, `${OTHER}` in double quotes and in bare values, quoted
 * values over several lines. `${OTHER}` reads the environment first, then the lines above. Lines of any
 * other form are problems and skipped.
 */
export function parseDotenv(text: string, environment: Variables): Dotenv {
  const values: Record<string, string> = Object.create(null) as Record<string, string>;
  const problems: DotenvProblem[] = [];
  const read = (name: string) => environment[name] ?? values[name] ?? '';
  const source = text.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n');
  const key = /[ \t]*(?:export[ \t]+)?([A-Za-z_][A-Za-z0-9_.-]*)[ \t]*[=:][ \t]*/y;
  const blank = /[ \t]*(?:#[^\n]*)?(?:\n|$)/y;
  let at = 0;
  while (at < source.length) {
    const empty = matchAt(blank, source, at);
    if (empty !== undefined && empty[0].length > 0) {
      at += empty[0].length;
      continue;
    }
    const line = source.slice(0, at).split('\n').length;
    const end = source.indexOf('\n', at);
    const nextLine = end < 0 ? source.length : end + 1;
    const found = matchAt(key, source, at);
    if (found === undefined) {
      problems.push({ line, message: 'this is neither NAME=value nor a comment' });
      at = nextLine;
      continue;
    }
    const value = readValue(source, at + found[0].length, read);
    if (typeof value === 'string') {
      problems.push({ line, message: value });
      at = nextLine;
      continue;
    }
    values[found[1] as string] = value.text;
    at = value.end;
  }
  return { values, problems };
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text) ?? undefined;
}

interface Value {
  readonly text: string;
  /** Where the next line begins. */
  readonly end: number;
}

/** The value that begins at `at`, or what is wrong with it. */
function readValue(source: string, at: number, read: (name: string) => string): Value | string {
  const quote = source[at];
  if (quote !== '"' && quote !== "'") {
    const end = source.indexOf('\n', at);
    const line = source.slice(at, end < 0 ? source.length : end);
    const bare = line.replace(/(^|[ \t])#.*$/, '').trim();
    return { text: expand(bare, read), end: end < 0 ? source.length : end + 1 };
  }
  const close = closingQuote(source, at + 1, quote);
  if (close < 0) return `the quote ${quote} is not closed`;
  const inner = source.slice(at + 1, close);
  const rest = matchAt(/[ \t]*(?:#[^\n]*)?(?:\n|$)/y, source, close + 1);
  if (rest === undefined) return 'there is text after the closing quote';
  const text = quote === "'" ? inner : expandQuoted(inner, read);
  return { text, end: close + 1 + rest[0].length };
}

function closingQuote(source: string, from: number, quote: string): number {
  for (let at = from; at < source.length; at++) {
    if (quote === '"' && source[at] === '\\') at++;
    else if (source[at] === quote) return at;
  }
  return -1;
}

const reference = /\$\{([A-Za-z_][A-Za-z0-9_.-]*)\}/g;

function expand(text: string, read: (name: string) => string): string {
  return text.replace(reference, (_, name: string) => read(name));
}

const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' };

/** Escapes and references in one pass, so that an escaped dollar sign stays one. */
function expandQuoted(text: string, read: (name: string) => string): string {
  return text.replace(
    /\\(.)|\$\{([A-Za-z_][A-Za-z0-9_.-]*)\}/gs,
    (_, escaped: string | undefined, name: string | undefined) =>
      name === undefined ? (escapes[escaped as string] ?? (escaped as string)) : read(name),
  );
}

/** Reads the bytes of a file in dotenv syntax. Of one that is not UTF-8 no value is used, since any may be damaged. */
function decodeDotenv(bytes: Uint8Array, environment: Variables): Dotenv {
  const { text, unreadable } = decodeUtf8(bytes);
  if (unreadable === undefined) return parseDotenv(text, environment);
  const { line } = new LineIndex(text).position(unreadable.at);
  return { values: {}, problems: [{ line, message: `${unreadable.message}; no variable of the file is read` }] };
}

/** The `.env` in effect: which file it is and what it says. */
export interface DotenvFile extends Dotenv {
  readonly path: string;
}

/** Reads `.env` of the configuration directory, else of the working directory; undefined when neither can be read. */
export async function readDotenv(
  directory: string,
  workingDirectory: string,
  environment: Variables,
): Promise<DotenvFile | undefined> {
  for (const folder of new Set([directory, workingDirectory])) {
    const path = join(folder, '.env');
    try {
      return { path, ...decodeDotenv(await regularFile(path), environment) };
    } catch (error) {
      if (error instanceof FileProblem)
        return { path, values: {}, problems: [{ line: 1, message: `${error.message}; no variable of it is read` }] };
      // Absent or unreadable: the next place is tried.
    }
  }
  return undefined;
}

/** The process environment with what only `.env` sets; the process wins. */
export function withDotenv(environment: Variables, dotenv: Dotenv | undefined): Variables {
  return dotenv === undefined ? environment : { ...dotenv.values, ...definedOf(environment) };
}

function definedOf(environment: Variables): Variables {
  return Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== undefined));
}
