import { verbOfWord } from '../../../engine/flow/verb.ts';
import type { CallDescription } from '../../../foundation/contracts/target.ts';

const readingMethods = new Set(['GET', 'HEAD', 'OPTIONS', 'QUERY']);
const methods = new Set([...readingMethods, 'POST', 'PUT', 'PATCH', 'DELETE']);

/** What a connector knows of its calls. */
export interface KnownCalls {
  /** A call that names no method is a GET. */
  readonly getsByDefault: boolean;
  /** A call may change anything (`TargetSpec.runs`). */
  readonly runs: boolean;
  /** What an operation does by its text, where the connector knows that. */
  readonly effect: (operation: string | undefined) => 'reads' | 'writes' | undefined;
}

/** Whether a call only reads, as far as its text shows; a call that cannot be classified counts as a change. */
export function isReading(
  { verb, operation, query, target }: Pick<CallDescription, 'verb' | 'operation' | 'query' | 'target'>,
  { getsByDefault, runs, effect }: KnownCalls,
): boolean {
  if (runs) return false;
  if (query !== undefined) return isReadingQuery(query, verb === 'read');
  const known = effect(operation ?? target);
  if (known !== undefined) return known === 'reads';
  const method = methodIn(operation) ?? methodIn(target, true);
  if (method !== undefined) return readingMethods.has(method);
  const ofWord = verbOfWord(operation);
  if (ofWord !== undefined) return ofWord === 'read';
  return verb === 'read' || (verb === 'call' && getsByDefault);
}

/** The HTTP method that a text begins with; `inLine`: only in front of a path. */
function methodIn(text: string | undefined, inLine = false): string | undefined {
  const [, word, path] = /^\s*([A-Za-z]+)(\s+\S.*)?\s*$/s.exec(text ?? '') ?? [];
  if (word === undefined || (inLine && path === undefined)) return undefined;
  const method = word.toUpperCase();
  return methods.has(method) ? method : undefined;
}

const readingWords = new Set(['SELECT', 'VALUES', 'SHOW', 'TABLE', 'WITH']);
const changingWords = /\b(?:INSERT|UPDATE|DELETE|MERGE|REPLACE|INTO|CREATE|DROP|ALTER|TRUNCATE|CALL|EXECUTE)\b/i;
/** Quoted texts and names, and comments. */
const quoted = /'(?:[^']|'')*'|"(?:[^"]|"")*"|`[^`]*`|\$(\w*)\$.*?\$\1\$|--[^\n]*|\/\*.*?\*\//gs;
const locks = /\bFOR\s+(?:NO\s+KEY\s+)?UPDATE\b/gi;

/**
 * A statement reads when it begins with a reading keyword and contains no keyword that changes data. A query that is
 * not an SQL statement, such as a filter, reads when `inRead` says that the call does.
 */
function isReadingQuery(query: string, inRead: boolean): boolean {
  const bare = query.replace(quoted, ' ').replace(locks, ' ').trim();
  const [, command] = /^\s*\{\s*"(\w+)"/.exec(query) ?? [];
  if (command !== undefined && verbOfWord(command) !== undefined) return inRead && verbOfWord(command) === 'read';
  if (/^[[{]/.test(query.trim())) return inRead && !/"\$(?:out|merge)"/.test(query);
  const word = /^[A-Za-z]+/.exec(bare)?.[0].toUpperCase() ?? '';
  return readingWords.has(word) && !changingWords.test(bare);
}
