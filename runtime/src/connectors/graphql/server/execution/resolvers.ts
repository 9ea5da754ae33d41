import {
  type GraphQLField,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNullableType,
  isCompositeType,
  isListType,
  isObjectType,
} from 'graphql';
import type { Binding } from '../../../../foundation/contracts/source.ts';
import { Failure } from '../../../../foundation/errors/failure.ts';
import { parseField, rootTypes } from '../../operation.ts';
import { typeNamed } from '../../schema/root-types.ts';
import { batchResolver, batchWordsOf } from './batches.ts';
import { delivering } from './delivery.ts';
import type { Execution } from './execution.ts';
import { FieldMessage, spellings } from './field-message.ts';
import { fitOf } from './fit.ts';
import type { Place } from './places.ts';
import type { ResolveField } from './resolve-field.ts';
import type { Selected } from './selection.ts';

type Values = Readonly<Record<string, unknown>>;

/** Fields of a mutation from which on each one runs in a turn of its own: they would call each other without end. */
const manyFields = 50;

/**
 * Makes the flows of a configuration the resolvers of their fields. Of a field of Subscription the resolver gives what
 * was published. Answers the resolvers. Throws a Failure for a field that is not declared.
 */
export function bindFields(schema: GraphQLSchema, bindings: readonly Binding[]): ReadonlySet<unknown> {
  const bound = new Set<unknown>();
  const bind = (field: GraphQLField<unknown, unknown>, resolve: ResolveField) => {
    field.resolve = resolve as unknown as typeof field.resolve;
    bound.add(resolve);
  };
  for (const binding of bindings) {
    // A flow that only resolves references has no field.
    if (binding.operation === undefined && binding.entity !== undefined) continue;
    const { type: typeName, field: name } = parseField(binding.operation ?? '') ?? { type: '', field: '' };
    const type = typeNamed(schema, typeName);
    const field = isObjectType(type) ? type.getFields()[name] : undefined;
    if (field === undefined)
      throw new Failure('internal', `flow "${binding.flow}": the schema has no field ${typeName}.${name}`);
    const batch = batchWordsOf(binding);
    if (batch !== undefined) bind(field, batchResolver(binding, batch, field, typeName));
    else if (typeName !== 'Subscription') bind(field, flowResolver(binding, field, typeName));
  }
  for (const field of Object.values(schema.getSubscriptionType()?.getFields() ?? {})) bind(field, eventResolver(field));
  for (const type of [schema.getQueryType(), schema.getMutationType()])
    for (const field of Object.values(type?.getFields() ?? {}))
      if (field.resolve === undefined && !field.name.startsWith('_'))
        bind(field, unresolved(`${type?.name}.${field.name}`));
  return bound;
}

function unresolved(field: string): ResolveField {
  return () => {
    throw new Failure('not_found', `the field ${field} has no flow`);
  };
}

/** The value of a field of Subscription for one event, which is an object with the event under the name of the field. */
function eventResolver({ name, type }: GraphQLField<unknown, unknown>): ResolveField {
  const field = `Subscription.${name}`;
  const fit = fitOf(type, field);
  return (event, _args, { places }, { path }) => {
    const value = (event as Values | undefined)?.[name];
    return places.at(path, field).shape(fit(value));
  };
}

function flowResolver(
  binding: Binding,
  { name, type }: GraphQLField<unknown, unknown>,
  typeName: string,
): ResolveField {
  const field = `${typeName}.${name}`;
  const { readsSelection } = binding;
  const deliver = delivering(binding);
  const fit = fitOf(type, field);
  const answers = answerOf(type);
  const isTop = (rootTypes as readonly string[]).includes(typeName);
  const run = (execution: Execution, parent: unknown, place: Place, selected: Selected): unknown => {
    const { asker, variables } = execution;
    if (asker.cancelled) throw new Failure('cancelled', 'the request has ended');
    const narrow = answers !== 'value' && !place.isRead;
    const message = new FieldMessage(asker, {
      field,
      args: place.args(variables),
      parent: isTop ? undefined : (parent as Values),
      variables,
      others: place.variables,
      selected: readsSelection === true ? selected : undefined,
      requested: narrow && answers === 'object' ? spellings(selected.names) : undefined,
      record: answers !== 'value',
      columns: narrow ? spellings(selected.names) : undefined,
    });
    return deliver(message);
  };
  return (parent, _args, execution, { path }) => {
    const { places, limiter, variables } = execution;
    const place = places.at(path, field);
    const finish = (reply: unknown) => (reply === undefined ? null : place.shape(fit((reply as Values)['value'])));
    // Files are not compared: each field runs that is asked with one.
    const mayShare = typeName === 'Query' && execution.asker.contents === undefined;
    const shared = place.same && mayShare ? execution.shared(place, place.same) : undefined;
    const start = () => run(execution, parent, place, shared?.selected ?? place.selection(variables));
    const limited = () => (places.rootFields === 1 && isTop ? start() : limiter.run(start));
    const begin =
      typeName === 'Mutation' && places.rootFields > manyFields ? () => Promise.resolve().then(limited) : limited;
    const reply = shared === undefined ? begin() : shared.answer(begin);
    return reply instanceof Promise ? reply.then(finish) : finish(reply);
  };
}

/** What an answer is made of: one object, objects in a list, or something without fields. */
function answerOf(type: GraphQLOutputType): 'object' | 'objects' | 'value' {
  const bare = getNullableType(type);
  if (isListType(bare)) return isObjectType(getNullableType(bare.ofType)) ? 'objects' : 'value';
  return isCompositeType(bare) && isObjectType(bare) ? 'object' : 'value';
}
