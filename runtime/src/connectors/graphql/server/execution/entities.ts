import { Fields, toJson } from '@svc/protocol/cel';
import { GraphQLError, type GraphQLFieldMap, isObjectType } from 'graphql';
import type { Binding } from '../../../../foundation/contracts/source.ts';
import { asFailure } from '../../../../foundation/errors/classify.ts';
import { parseField } from '../../operation.ts';
import type { BuiltSchema } from '../../schema/build.ts';
import type { Entity } from '../../schema/entities.ts';
import { Batches, batchWordsOf } from './batches.ts';
import { delivering, type Reply } from './delivery.ts';
import type { Execution } from './execution.ts';
import { FieldMessage } from './field-message.ts';
import type { ResolveField } from './resolve-field.ts';

/** Most references of one request. */
const mostReferences = 10_000;
type Values = Readonly<Record<string, unknown>>;

/** What answers a reference: the object, null when it does not exist. Rejects with a Failure. */
type Resolve = (reference: Values, execution: Execution) => Promise<unknown>;

/**
 * Makes `_service` answer the schema, and flows the resolvers of references: the flow that names the type as its
 * `entity`, else the first query that returns it.
 */
export function bindFederation({ schema, sdl, entities }: BuiltSchema, bindings: readonly Binding[]): void {
  const query = schema.getQueryType()?.getFields() ?? {};
  if (query['_service'] !== undefined) query['_service'].resolve = () => ({ sdl });
  if (query['_entities'] === undefined) return;
  const resolvers = new Map<string, Resolve>();
  for (const entity of entities) {
    const type = schema.getType(entity.name);
    const binding = resolverOfEntity(entity.name, bindings);
    if (isObjectType(type)) resolvers.set(entity.name, resolveOf(entity, type.getFields(), binding));
  }
  const resolve: ResolveField = async (_parent, args, execution, { path }) => {
    const { representations } = args as { readonly representations: readonly unknown[] };
    const { shape } = execution.places.at(path, 'Query._entities');
    const found = await answer(representations, resolvers, execution);
    return found.map((one) => (one instanceof Error ? one : (shape([one]) as readonly unknown[])[0]));
  };
  query['_entities'].resolve = resolve as unknown as (typeof query)['_entities']['resolve'];
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
  resolvers: ReadonlyMap<string, Resolve>,
  execution: Execution,
): Promise<readonly unknown[]> {
  if (references.length > mostReferences)
    throw new GraphQLError(`_entities takes at most ${mostReferences} representations, not ${references.length}`);
  const known = new Map<string, Promise<unknown>>();
  const one = async (reference: unknown): Promise<unknown> => {
    try {
      const named = typeNameOf(reference);
      const resolve = resolvers.get(named ?? '');
      if (resolve === undefined)
        return new GraphQLError(
          named === undefined
            ? 'a representation needs the field __typename'
            : `this service resolves no references of the type "${named}"`,
        );
      const found = await resolve(reference as Values, execution);
      if (found === null || found === undefined) return null;
      if (typeof found !== 'object') return new GraphQLError(`the flow of ${named} answered no object`);
      return found;
    } catch (error) {
      return error instanceof GraphQLError ? error : asFailure(error);
    }
  };
  return Promise.all(
    references.map((reference) => {
      const key = JSON.stringify(toJson(reference));
      const begun = known.get(key) ?? one(reference);
      known.set(key, begun);
      return begun;
    }),
  );
}

function typeNameOf(reference: unknown): string | undefined {
  if (typeof reference !== 'object' || reference === null || !Object.hasOwn(reference, '__typename')) return undefined;
  const { __typename: name } = reference as { readonly __typename?: unknown };
  return typeof name === 'string' ? name : undefined;
}

function resolveOf(entity: Entity, fields: GraphQLFieldMap<unknown, unknown>, binding: Binding | undefined): Resolve {
  const { name } = entity;
  if (binding === undefined) return async () => null;
  const field = `_entities ${name}`;
  const words = batchWordsOf(binding);
  const batches = words && new Batches(binding, words, field);
  const deliver = delivering(binding);
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
  return async (reference, execution) => {
    const args = own(reference);
    if (batches !== undefined && words !== undefined) {
      const key = args[words.batch];
      if (key === undefined) throw new GraphQLError(`a representation of ${name} needs the field "${words.batch}"`);
      const asked = { args: {}, columns: undefined, selected: undefined };
      return merged(reference, await batches.rowsOf(key, execution, asked));
    }
    const read = ['__typename', ...Object.keys(args).filter((each) => !entity.keys.includes(each))];
    const message = new FieldMessage(execution.asker, {
      field,
      args: Object.assign(args, { __typename: name }),
      parent: undefined,
      variables: execution.variables,
      others: [],
      read,
      record: true,
      selected: undefined,
      requested: undefined,
      columns: undefined,
    });
    const reply = (await execution.limiter.run(() => deliver(message))) as Reply;
    return merged(reference, reply?.value);
  };
}
