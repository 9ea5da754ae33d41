import { Fields, toJson } from '@svc/protocol/cel';
import { GraphQLError, type GraphQLFieldMap, isObjectType } from 'graphql';
import type { Binding } from '../../../../contracts/source.ts';
import { asFailure } from '../../../../errors/classify.ts';
import { parseField } from '../../operation.ts';
import type { BuiltSchema } from '../../schema/build.ts';
import type { Entity } from '../../schema/entities.ts';
import { Batches, batchWordsOf } from './batches.ts';
import { deliverer } from './delivery.ts';
import { FieldMessage } from './field-message.ts';
import type { FieldContext, FieldPlace } from './resolvers.ts';

/** Most references of one request. */
const mostReferences = 10_000;
/** Flows that run at a time for references of one request, where each reference has one of its own. */
const mostAtOnce = 50;

type Values = Readonly<Record<string, unknown>>;

interface Resolver {
  /** Whether its flow takes many references at once. */
  readonly batched: boolean;
  /** What answers a reference: the object, null when it does not exist. Rejects with a Failure. */
  resolve(reference: Values, context: FieldContext, place: FieldPlace): Promise<unknown>;
}

/**
 * Makes `_service` answer the schema, and flows the resolvers of references: the flow that names the type as its
 * `entity`, else the first query that returns it.
 */
export function bindFederation({ schema, sdl, entities }: BuiltSchema, bindings: readonly Binding[]): void {
  const query = schema.getQueryType()?.getFields() ?? {};
  if (query['_service'] !== undefined) query['_service'].resolve = () => ({ sdl });
  if (query['_entities'] === undefined) return;
  const resolvers = new Map<string, Resolver>();
  for (const entity of entities) {
    const type = schema.getType(entity.name);
    const binding = resolverOfEntity(entity.name, bindings);
    if (isObjectType(type)) resolvers.set(entity.name, resolverOf(entity, type.getFields(), binding));
  }
  query['_entities'].resolve = (_parent, args, context, place: object) =>
    answer((args as { readonly representations: readonly unknown[] }).representations, resolvers, {
      context: context as FieldContext,
      place: place as FieldPlace,
    });
}

/** The flow that resolves references of a type; undefined without one. */
export function resolverOfEntity<B extends Pick<Binding, 'entity' | 'returns' | 'operation'>>(
  name: string,
  bindings: readonly B[],
): B | undefined {
  const returning = ({ returns, operation }: B) =>
    returns?.type === name && !returns.list && parseField(operation ?? '')?.type === 'Query';
  return bindings.find(({ entity }) => entity === name) ?? bindings.find(returning);
}

async function answer(
  references: readonly unknown[],
  resolvers: ReadonlyMap<string, Resolver>,
  { context, place }: { readonly context: FieldContext; readonly place: FieldPlace },
): Promise<readonly unknown[]> {
  if (references.length > mostReferences)
    throw new GraphQLError(`_entities takes at most ${mostReferences} representations, not ${references.length}`);
  const answers: unknown[] = new Array(references.length);
  const known = new Map<string, unknown>();
  const one = async (reference: unknown): Promise<unknown> => {
    try {
      const named = typeNameOf(reference);
      const resolver = resolvers.get(named ?? '');
      if (resolver === undefined)
        return new GraphQLError(
          named !== undefined
            ? `this service resolves no references of the type "${named}"`
            : 'a representation needs the field __typename',
        );
      const found = await resolver.resolve(reference as Values, context, place);
      if (found === null || found === undefined) return null;
      if (typeof found !== 'object') return new GraphQLError(`the flow of ${named} answered no object`);
      return found;
    } catch (error) {
      return error instanceof GraphQLError ? error : asFailure(error);
    }
  };
  const begin = (reference: unknown): unknown => {
    const key = JSON.stringify(toJson(reference));
    if (!known.has(key)) known.set(key, one(reference));
    return known.get(key);
  };
  // What flows take at once is begun together, the rest a few at a time.
  for (const reference of references)
    if (resolvers.get(typeNameOf(reference) ?? '')?.batched === true) begin(reference);
  let next = 0;
  const work = async () => {
    while (next < references.length) {
      const at = next++;
      answers[at] = await begin(references[at]);
    }
  };
  await Promise.all(Array.from({ length: Math.min(mostAtOnce, references.length) }, work));
  return answers;
}

function typeNameOf(reference: unknown): string | undefined {
  if (typeof reference !== 'object' || reference === null || !Object.hasOwn(reference, '__typename')) return undefined;
  const { __typename: name } = reference as { readonly __typename?: unknown };
  return typeof name === 'string' ? name : undefined;
}

function resolverOf(entity: Entity, fields: GraphQLFieldMap<unknown, unknown>, binding: Binding | undefined): Resolver {
  const { name } = entity;
  if (binding === undefined) return { batched: false, resolve: async () => null };
  const field = `_entities ${name}`;
  const words = batchWordsOf(binding);
  const batches = words && new Batches(binding, words, field);
  const run = deliverer(binding, (value) => value);
  /** What is declared of the reference: other names are of no use, and no filter. */
  const own = (reference: Values) => {
    const input: Record<string, unknown> = new Fields();
    for (const each of Object.keys(fields)) if (Object.hasOwn(reference, each)) input[each] = reference[each];
    return input;
  };
  const merged = (reference: Values, found: unknown): unknown => {
    const single = Array.isArray(found) ? found[0] : found;
    if (typeof single !== 'object' || single === null) return single ?? null;
    // Fields of other services that this one requires are read beside what the flow answers.
    return Object.assign(new Fields(), own(reference), single, { __typename: name });
  };
  const resolve: Resolver['resolve'] = async (reference, context, { requested }) => {
    const input = own(reference);
    if (batches !== undefined && words !== undefined) {
      const key = input[words.batch];
      if (key === undefined) throw new GraphQLError(`a representation of ${name} needs the field "${words.batch}"`);
      return merged(reference, await batches.rowsOf(key, context, { args: {}, requested }));
    }
    const around = ['__typename', ...Object.keys(input).filter((each) => !entity.keys.includes(each))];
    const message = new FieldMessage(
      context.asker,
      field,
      { input: Object.assign(input, { __typename: name }), around },
      requested,
    );
    return merged(reference, await run(message));
  };
  return { batched: batches !== undefined, resolve };
}
