import type { Values } from '@svc/protocol/schema';
import type { Verb } from '../../../foundation/contracts/target.ts';
import { methodOf, verbOfWord } from '../verb.ts';
import type { aspect } from './spec.ts';

/** What a named operation resolves to. */
interface Words {
  readonly operation: string | undefined;
  readonly target: string | undefined;
  readonly query: string | undefined;
}

/** What an action asks of its connector: a statement, a named operation, verb and target in one text, or what the connector knows. */
export function resolveAction<Named extends Words>(
  { operation, target, query }: Pick<NonNullable<Values<typeof aspect>['action']>, 'operation' | 'target' | 'query'>,
  use: { readonly operation: (word: string | undefined) => Named | undefined },
) {
  const named = use.operation(operation);
  if (named !== undefined) {
    const verb: Verb = verbOfWord(named.operation) ?? methodVerb(named.operation) ?? 'create';
    return { verb, operation: named.operation, target: named.target ?? target, query: query ?? named.query, named };
  }
  const [, word = '', rest] = /^\s*(\w+)\s+(\S.*?)\s*$/s.exec(operation) ?? [];
  const split = verbOfWord(word);
  const verb: Verb = split ?? verbOfWord(operation) ?? methodVerb(operation) ?? 'create';
  return {
    verb,
    operation: split === undefined ? operation : word,
    target: split === undefined ? target : (target ?? rest),
    query,
    named: undefined,
  };
}

const ofMethod: Readonly<Record<string, Verb>> = {
  GET: 'call',
  HEAD: 'call',
  OPTIONS: 'call',
  QUERY: 'call',
  POST: 'create',
  PUT: 'update',
  PATCH: 'update',
  DELETE: 'delete',
};

/** The verb of a method, alone or in front of a path. */
function methodVerb(operation: string | undefined): Verb | undefined {
  const method = methodOf(`${operation?.trim().split(/\s/)[0]} /`);
  return method === undefined ? undefined : ofMethod[method];
}
