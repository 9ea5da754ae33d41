import type { Verb } from '../../../foundation/contracts/target.ts';

/** What is done with a collection. */
export type Action =
  | 'find'
  | 'find one'
  | 'insert'
  | 'insert many'
  | 'update'
  | 'update many'
  | 'replace'
  | 'upsert'
  | 'delete'
  | 'delete many';

const words: Readonly<Record<string, Action>> = {
  SELECT: 'find',
  READ: 'find',
  FIND: 'find',
  FIND_ONE: 'find one',
  INSERT: 'insert',
  CREATE: 'insert',
  INSERT_ONE: 'insert',
  INSERT_MANY: 'insert many',
  UPDATE: 'update',
  UPDATE_ONE: 'update',
  UPDATE_MANY: 'update many',
  REPLACE: 'replace',
  REPLACE_ONE: 'replace',
  UPSERT: 'upsert',
  DELETE: 'delete',
  DELETE_ONE: 'delete',
  DELETE_MANY: 'delete many',
};

const ofVerb: Readonly<Record<Exclude<Verb, 'call'>, Action>> = {
  read: 'find',
  create: 'insert',
  update: 'update',
  delete: 'delete',
};

export const offeredOperations: readonly string[] = Object.keys(words);

/** What an operation means, or what the verb does when it is not written; undefined for an unknown one. */
export function actionOf(operation: string | undefined, verb: Exclude<Verb, 'call'>): Action | undefined {
  const word = operation?.trim().toUpperCase() ?? '';
  if (word === '') return ofVerb[verb];
  return Object.hasOwn(words, word) ? words[word] : undefined;
}

/** Why an operation that no `operation` block declares is malformed. */
export function checkOperation(operation: string): string | undefined {
  if (Object.hasOwn(words, operation.trim().toUpperCase())) return undefined;
  return `"${operation}" is neither FIND, INSERT, UPDATE, REPLACE, UPSERT or DELETE nor an operation of the connector`;
}
