import type { Verb } from '../../foundation/contracts/target.ts';

/** What is done with an index. */
export type Action =
  | 'search'
  | 'hits'
  | 'get'
  | 'count'
  | 'aggregate'
  | 'index'
  | 'create'
  | 'update'
  | 'delete'
  | 'bulk'
  | 'update_by_query'
  | 'delete_by_query';

const words: Readonly<Record<string, Action>> = {
  SELECT: 'search',
  READ: 'search',
  SEARCH: 'search',
  HITS: 'hits',
  GET: 'get',
  COUNT: 'count',
  AGGREGATE: 'aggregate',
  INSERT: 'index',
  INDEX: 'index',
  CREATE: 'create',
  UPDATE: 'update',
  DELETE: 'delete',
  BULK: 'bulk',
  UPDATE_BY_QUERY: 'update_by_query',
  DELETE_BY_QUERY: 'delete_by_query',
};

const ofVerb: Readonly<Record<Exclude<Verb, 'call'>, Action>> = {
  read: 'search',
  create: 'index',
  update: 'update',
  delete: 'delete',
};

/** Each action once, as named operations write it. */
export const actions = [...new Set(Object.values(words))] as readonly Action[];

/** What operations begin with, for those who write one. */
export const offeredOperations: readonly string[] = [...actions, 'SELECT', 'INSERT', 'UPDATE', 'DELETE'];

/** What an operation means, or what the verb does where it is absent; undefined for an unknown one. */
export function actionOf(operation: string | undefined, verb: Exclude<Verb, 'call'>): Action | undefined {
  const word = operation?.trim().toUpperCase() ?? '';
  if (word === '') return ofVerb[verb];
  return Object.hasOwn(words, word) ? words[word] : undefined;
}

const further = 'read further with search_after and the `_sort` of the last row';
const named = 'write the search as the body of a named operation, with parameters';
const elsewhere = 'make it with the tools of the server';

/** What the server offers and this connector does not, with what to do instead. */
const notBuilt: Readonly<Record<string, string>> = {
  SCROLL: further,
  CLEAR_SCROLL: further,
  OPEN_PIT: further,
  CLOSE_PIT: further,
  POINT_IN_TIME: further,
  SEARCH_TEMPLATE: named,
  MSEARCH: 'search in a step for each',
  MULTI_SEARCH: 'search in a step for each',
  MGET: 'search for the ids: params = { _id = ["a", "b"] }',
  REINDEX: elsewhere,
  CREATE_INDEX: elsewhere,
  DELETE_INDEX: elsewhere,
  ALIASES: elsewhere,
};

/** Why an operation that no `operation` block declares is malformed. */
export function checkOperation(operation: string): string | undefined {
  const word = operation
    .trim()
    .toUpperCase()
    .replaceAll(/[\s-]+/g, '_')
    .replace(/^_/, '');
  if (Object.hasOwn(words, operation.trim().toUpperCase())) return undefined;
  if (Object.hasOwn(notBuilt, word)) return `"${operation}" is not built: ${notBuilt[word]}`;
  return `"${operation}" is neither ${actions.join(', ')} nor an operation of the connector`;
}
