import type { Lexis, Scan } from './scanner.ts';
import { scan } from './scanner.ts';

/** What an engine's statements do to the connection that they run over, beside what they do to data. */
export interface SessionRules {
  /** What one does by its first words that does nothing else: it `stays` on the connection, or ends with its transaction. */
  effect(words: readonly string[]): 'stays' | 'ends' | undefined;
  /** Functions whose effect stays on the connection. */
  readonly functions: ReadonlySet<string>;
  /** Names that `PRAGMA` may be asked for and not set: everything shares the one connection. */
  readonly pragmas: ReadonlySet<string>;
}

/** Where a statement is written: alone, or among those of a `transaction`. */
export type StatementPlace = 'alone' | 'transaction';

type Words = readonly string[];

const pragma = /^\s*pragma\s+(?:\w+\s*\.\s*)?(\w+)\s*[=(]/i;
/** The third argument of `set_config`, with which a setting ends with its transaction. */
const localSetting = /,\s*true\s*\)/gi;

/** Why a statement cannot be run over a connection that others use before and after it; undefined: it can. */
export function sessionProblem(
  { words, statements }: Pick<Scan, 'words' | 'statements'>,
  rules: SessionRules,
  place: StatementPlace,
): string | undefined {
  const first = words[0]?.toUpperCase();
  if (boundsTransaction(words, place))
    return place === 'alone'
      ? `${first} is for a transaction, and the next statement may run over another connection: write the statements into \`transaction\``
      : `${first} does not belong into a transaction, which begins and ends by itself: leave it out`;
  const [, name] = pragma.exec(statements[0]?.text ?? '') ?? [];
  if (name !== undefined && rules.pragmas.has(name.toLowerCase()))
    return `PRAGMA ${name} would change the connection that all flows share: it cannot be set`;
  if (place === 'alone' && rules.effect(words) !== undefined)
    return `${first} changes the connection that it runs over, and the next statement may run over another one: write both into \`transaction\``;
  return undefined;
}

/** The same for a text. */
export function statementProblem(
  text: string,
  { lexis, session }: { readonly lexis: Lexis; readonly session: SessionRules },
  place: StatementPlace,
): string | undefined {
  return sessionProblem(scan(text, lexis), session, place);
}

/** Whether the connection that a statement ran over is another one for what comes next: a setting, a lock or a table is left. */
export function changesSession(
  { words, statements }: Pick<Scan, 'words' | 'statements'>,
  rules: SessionRules,
): boolean {
  return (
    rules.effect(words) === 'stays' || makesTemporary(words) || callsFunction(words, statements[0]?.text ?? '', rules)
  );
}

function boundsTransaction([first, second, ...rest]: Words, place: StatementPlace): boolean {
  switch (first) {
    case 'begin':
    case 'end':
    case 'abort':
    case 'xa':
      return true;
    case 'start':
    case 'prepare':
      return second === 'transaction';
    case 'commit':
      return second !== 'prepared';
    case 'rollback': {
      const isPart = second === 'to' || rest[0] === 'to';
      return second !== 'prepared' && !(isPart && place === 'transaction');
    }
    case 'savepoint':
    case 'release':
      return place === 'alone';
    case 'set':
      return second === 'autocommit' || rest.includes('autocommit');
    default:
      return false;
  }
}

/** A temporary table that does not end with its transaction. */
function makesTemporary(words: Words): boolean {
  const isTemporary = (word: string | undefined) => word === 'temp' || word === 'temporary';
  const isMade = words[0] === 'create' && words.slice(1, 5).some(isTemporary);
  const isFilled = words[0] === 'select' && words.some((word, at) => word === 'into' && isTemporary(words[at + 1]));
  if (!isMade && !isFilled) return false;
  return !words.some((word, at) => word === 'on' && words[at + 1] === 'commit' && words[at + 2] === 'drop');
}

function callsFunction(words: Words, text: string, { functions }: SessionRules): boolean {
  const called = words.filter((word) => functions.has(word));
  if (called.length === 0) return false;
  const isLocal = called.every((word) => word === 'set_config');
  return !isLocal || (text.match(localSetting) ?? []).length < called.length;
}
