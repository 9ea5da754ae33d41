import type { Scan } from './scanner.ts';
import { changesSession, type SessionRules } from './session.ts';

/** What a statement does, as far as its words show. */
export interface StatementKind {
  /** It can be sent to a replica, and sent again when its answer was lost: it changes nothing and locks nothing. */
  readonly reads: boolean;
  /** It makes rows, and changes none that are there. */
  readonly inserts: boolean;
  /** Tables may look different afterwards. */
  readonly changesSchema: boolean;
  /** It leaves something on its connection, which is not used again. */
  readonly changesSession: boolean;
}

const readers = new Set(['select', 'values', 'table', 'with', 'explain', 'show']);
const changers = ['insert', 'update', 'delete', 'merge', 'replace', 'into', 'share', 'analyze', 'nextval', 'setval'];
const schemaChangers = new Set(['create', 'alter', 'drop', 'pragma', 'attach', 'detach', 'rename']);

/** Errs on the side of writing: a SELECT that only names a column `update` counts as one that may change something. */
export function kindOf(scanned: Pick<Scan, 'words' | 'statements'>, session: SessionRules): StatementKind {
  const { words } = scanned;
  const first = words[0] ?? '';
  return {
    changesSession: changesSession(scanned, session),
    reads: readers.has(first) && !changers.some((word) => words.includes(word)),
    inserts: insertsOnly(words),
    changesSchema: schemaChangers.has(first),
  };
}

function insertsOnly(words: readonly string[]): boolean {
  const [first] = words;
  const inserts = first === 'insert' || first === 'replace' || (first === 'with' && words.includes('insert'));
  return inserts && !(words.includes('update') && (words.includes('conflict') || words.includes('duplicate')));
}
