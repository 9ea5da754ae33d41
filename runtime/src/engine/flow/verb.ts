import type { SourceSpec } from '@svc/protocol/schema';
import type { Verb } from '../../foundation/contracts/target.ts';

/** What a flow does to its destination. */
export type FlowVerb = Exclude<Verb, 'call'>;

const ofMethod: Readonly<Record<string, FlowVerb>> = {
  GET: 'read',
  HEAD: 'read',
  OPTIONS: 'read',
  QUERY: 'read',
  POST: 'create',
  PUT: 'update',
  PATCH: 'update',
  DELETE: 'delete',
};

const ofWord: Readonly<Record<string, FlowVerb>> = {
  SELECT: 'read',
  READ: 'read',
  SEARCH: 'read',
  COUNT: 'read',
  AGGREGATE: 'read',
  FIND: 'read',
  FIND_ONE: 'read',
  INSERT: 'create',
  CREATE: 'create',
  UPSERT: 'create',
  INSERT_ONE: 'create',
  INSERT_MANY: 'create',
  INDEX: 'create',
  BULK: 'create',
  PUBLISH: 'create',
  WRITE: 'create',
  SEND: 'create',
  UPDATE: 'update',
  UPDATE_ONE: 'update',
  UPDATE_MANY: 'update',
  UPDATE_BY_QUERY: 'update',
  REPLACE: 'update',
  REPLACE_ONE: 'update',
  DELETE: 'delete',
  EXISTS: 'read',
  TTL: 'read',
  SET: 'create',
  INCREMENT: 'update',
  DELETE_ONE: 'delete',
  DELETE_MANY: 'delete',
  DELETE_BY_QUERY: 'delete',
};

/**
 * The verb of the trigger of a flow (docs/specification/flow.md#what-a-flow-asks-for): from the method of a request; a
 * message creates.
 */
export function verbOfSource(source: SourceSpec | undefined, operation: string | undefined): FlowVerb {
  if (source?.verb !== undefined) return source.verb(operation);
  const method = methodOf(operation);
  if (method !== undefined) return ofMethod[method] as FlowVerb;
  return source?.style === 'stream' ? 'create' : 'read';
}

/** The HTTP method that an operation begins with. */
export function methodOf(operation: string | undefined): string | undefined {
  const word = /^\s*([A-Za-z]+)\s+\//.exec(operation ?? '')?.[1]?.toUpperCase();
  return word !== undefined && word in ofMethod ? word : undefined;
}

/** Whether a request with this operation certainly only reads. */
export function isAsking(operation: string | undefined): boolean {
  const method = methodOf(operation);
  return method !== undefined && ofMethod[method] === 'read';
}

/** The verb of a word such as `INSERT`, in any case; undefined when it is not such a word. */
export function verbOfWord(operation: string | undefined): FlowVerb | undefined {
  const word = operation?.trim().toUpperCase() ?? '';
  return Object.hasOwn(ofWord, word) ? ofWord[word] : undefined;
}

/** What a statement does: SQL by its first word, a command in JSON by its first field, a pipeline by whether it has a stage that writes. */
export function verbOfStatement(query: string): FlowVerb {
  if (/^\s*\[/.test(query)) return /"\$(?:out|merge)"\s*:/.test(query) ? 'create' : 'read';
  const [, command] = /^\s*\{\s*"(\w+)"/.exec(query) ?? [];
  if (command !== undefined) return verbOfWord(command) ?? 'create';
  const word = /^(?:\s|--[^\n]*\n|\/\*[\s\S]*?\*\/)*([A-Za-z]+)/.exec(query)?.[1]?.toUpperCase() ?? '';
  if (word === 'UPDATE' || word === 'DELETE' || word === 'INSERT') return ofWord[word] as FlowVerb;
  return ['SELECT', 'WITH', 'VALUES', 'SHOW', 'EXPLAIN', 'PRAGMA', 'TABLE'].includes(word) ? 'read' : 'create';
}
