import type { Verb } from '../../contracts/target.ts';

/** What is done with an index. */
export type Action =
  | 'search'
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

/** Why an operation that no `operation` block declares is malformed. */
export function checkOperation(operation: string): string | undefined {
  if (Object.hasOwn(words, operation.trim().toUpperCase())) return undefined;
  return `"${operation}" is neither ${actions.join(', ')} nor an operation of the connector`;
}
