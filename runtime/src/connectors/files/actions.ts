import type { Verb } from '../../foundation/contracts/target.ts';

/** What is done with files. */
export const actions = [
  'read',
  'download',
  'write',
  'append',
  'delete',
  'exists',
  'stat',
  'list',
  'copy',
  'move',
  'mkdir',
  'presign_get',
  'presign_put',
] as const;
export type Action = (typeof actions)[number];

/** Words of databases and of protocols that mean the same. */
const synonyms: Readonly<Record<string, Action>> = {
  select: 'read',
  get: 'read',
  insert: 'write',
  create: 'write',
  update: 'write',
  upsert: 'write',
  put: 'write',
  upload: 'write',
  remove: 'delete',
  head: 'stat',
  rename: 'move',
};

const ofVerb: Readonly<Record<Verb, Action>> = {
  read: 'read',
  call: 'read',
  create: 'write',
  update: 'write',
  delete: 'delete',
};

const reading: readonly Action[] = ['read', 'download', 'exists', 'stat', 'list', 'presign_get', 'presign_put'];

/** What a word means in any case, of the actions that a connector has; undefined when it means none. */
export function actionNamed(operation: string, known: readonly Action[]): Action | undefined {
  const word = operation.trim().toLowerCase();
  const action = actions.find((each) => each === word) ?? (Object.hasOwn(synonyms, word) ? synonyms[word] : undefined);
  return action !== undefined && known.includes(action) ? action : undefined;
}

/** What a verb asks for where no operation is written. */
export function actionOf(verb: Verb): Action {
  return ofVerb[verb];
}

export function effectOf(action: Action): 'reads' | 'writes' {
  return reading.includes(action) ? 'reads' : 'writes';
}
