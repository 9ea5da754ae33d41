import { toJson } from '@svc/protocol/cel';
import { type GraphQLSchema, isObjectType } from 'graphql';
import type { Binding } from '../../../../contracts/source.ts';
import { Failure } from '../../../../errors/failure.ts';
import { parseField, rootTypes } from '../../operation.ts';
import { typeNamed } from '../../schema/root-types.ts';
import { batchResolver, batchWordsOf } from './batches.ts';
import { deliverer } from './delivery.ts';
import { type Asker, FieldMessage, fieldInput } from './field-message.ts';
import { type Fit, fitOf } from './fit.ts';

/** What the fields of one operation share. */
export interface FieldContext {
  readonly asker: Asker;
  readonly variables: Readonly<Record<string, unknown>>;
  /** What fields of root types answered, by field and input: what is asked twice runs once. */
  readonly answers: Map<string, unknown>;
}

/** What is known of a place of a document, once for all of its executions. */
export interface FieldPlace {
  /** Names of the fields that are selected below it; undefined: the flow answers no single object. */
  readonly requested: readonly string[] | undefined;
}

/** Makes the flows of a configuration the resolvers of their fields. Throws a Failure for a field that is not declared. */
export function bindFields(schema: GraphQLSchema, bindings: readonly Binding[]): void {
  for (const binding of bindings) {
    // A flow that only resolves references has no field.
    if (binding.operation === undefined && binding.entity !== undefined) continue;
    const { type: typeName, field: name } = parseField(binding.operation ?? '') ?? { type: '', field: '' };
    const type = typeNamed(schema, typeName);
    const field = isObjectType(type) ? type.getFields()[name] : undefined;
    if (field === undefined)
      throw new Failure('internal', `flow "${binding.flow}": the schema has no field ${typeName}.${name}`);
    const title = `${typeName}.${name}`;
    const fit = fitOf(field.type, title);
    const batch = batchWordsOf(binding);
    const isRoot = (rootTypes as readonly string[]).includes(typeName);
    field.resolve =
      batch && !isRoot ? batchResolver(binding, batch, title, fit) : resolverOf(binding, title, fit, isRoot);
  }
}

type Values = Readonly<Record<string, unknown>>;

function resolverOf(binding: Binding, field: string, fit: Fit, root: boolean) {
  const run = deliverer(binding, fit);
  return (parent: Values, args: Values, { asker, variables, answers }: FieldContext, place: object) => {
    const { requested } = place as FieldPlace;
    const asked = fieldInput(args, root ? undefined : parent, variables);
    const message = () => new FieldMessage(asker, field, asked, requested);
    if (!root || field.startsWith('Mutation.')) return run(message());
    const key = `${field} ${JSON.stringify(toJson(asked.input))} ${requested?.join(' ') ?? ''}`;
    if (answers.has(key)) return answers.get(key);
    const answer = run(message());
    answers.set(key, answer);
    return answer;
  };
}
