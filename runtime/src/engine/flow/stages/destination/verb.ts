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

/** What the connector knows an operation to do (`TargetSpec.effect`). */
export type EffectOf = (operation: string | undefined) => 'reads' | 'writes' | undefined;

/**
 * What a flow with the operation `asked` does to a destination; `named` is the operation that it names. `takesAnswers`: a
 * flow that was asked for something writes what it would have answered.
 */
export function verbOfDestination(
  to: Pick<To, 'operation' | 'target' | 'transaction'>,
  named: Words | undefined,
  asked: FlowVerb,
  effectOf: EffectOf,
  takesAnswers: boolean,
): FlowVerb {
  const writes = asked === 'read' ? 'create' : asked;
  if (to.transaction !== undefined) return writes;
  const effect = effectIn(to, named, effectOf);
  if (effect !== undefined) return effect === 'reads' && !takesAnswers ? 'read' : writes;
  const verb = verbOfWord(named ? named.operation : to.operation) ?? asked;
  return verb === 'read' && takesAnswers ? 'create' : verb;
}

/** The target may have what is asked. */
function effectIn(
  { operation, target }: Pick<To, 'operation' | 'target'>,
  named: Words | undefined,
  effectOf: EffectOf,
) {
  if (named !== undefined || operation !== undefined) return effectOf(named ? named.operation : operation);
  return target?.kind === 'constant' && typeof target.value === 'string' ? effectOf(target.value) : undefined;
}

/**
 * The verb of a flow without a caller, which follows from its destination: from its operation or its statement;
 * otherwise it writes.
 */
export function verbAskedOf(
  to: Pick<To, 'operation' | 'query' | 'target'>,
  named: Words | undefined,
  effectOf: EffectOf,
): FlowVerb {
  const { operation, query } = to;
  const effect = effectIn(to, named, effectOf);
  if (effect !== undefined) return effect === 'reads' ? 'read' : 'create';
  const resolved = named?.operation ?? operation;
  const word = verbOfWord(resolved);
  if (word !== undefined) return word;
  if (methodOf(resolved) !== undefined) return verbOfSource(undefined, resolved);
  const statement = query ?? named?.query;
  return statement === undefined ? 'create' : verbOfStatement(statement);
}
