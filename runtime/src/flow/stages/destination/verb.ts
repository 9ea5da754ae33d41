import type { Values } from '@svc/protocol/schema';
import type { NamedOperation } from '../../tools.ts';
import { type FlowVerb, methodOf, verbOfSource, verbOfStatement, verbOfWord } from '../../verb.ts';
import type { to } from './spec.ts';

type To = Values<typeof to>;

/** What a named operation refers to. */
type Words = Pick<NamedOperation, 'operation' | 'query'>;

/** The operation of its connector that a `to` names, by `operation` or else by a `target` that is a plain text. */
export function namedOperation<Named>(
  { operation, target }: Pick<To, 'operation' | 'target'>,
  find: (word: string) => Named | undefined,
): Named | undefined {
  const named = operation === undefined ? undefined : find(operation);
  if (named !== undefined || target?.kind !== 'constant') return named;
  return target.value === null || target.value === undefined ? undefined : find(String(target.value));
}

/** What a flow with the operation `asked` does to a destination; `named` is the operation that it names. */
export function verbOfDestination(
  { operation, transaction }: Pick<To, 'operation' | 'transaction'>,
  named: Words | undefined,
  asked: FlowVerb,
): FlowVerb {
  if (transaction !== undefined) return asked === 'read' ? 'create' : asked;
  return verbOfWord(named ? named.operation : operation) ?? asked;
}

/**
 * The verb of a flow without a caller, which follows from its destination: from its operation or its statement;
 * otherwise it writes.
 */
export function verbAskedOf({ operation, query }: Pick<To, 'operation' | 'query'>, named: Words | undefined): FlowVerb {
  const resolved = named?.operation ?? operation;
  const word = verbOfWord(resolved);
  if (word !== undefined) return word;
  if (methodOf(resolved) !== undefined) return verbOfSource(undefined, resolved);
  const statement = query ?? named?.query;
  return statement === undefined ? 'create' : verbOfStatement(statement);
}
