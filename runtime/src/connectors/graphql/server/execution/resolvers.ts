import { toJson } from '@svc/protocol/cel';
import { type GraphQLObjectType, type GraphQLSchema, isObjectType } from 'graphql';
import type { ContentOwner } from '../../../../contracts/content.ts';
import type { Outcome } from '../../../../contracts/outcome.ts';
import type { Binding } from '../../../../contracts/source.ts';
import { asFailure } from '../../../../errors/classify.ts';
import { Failure } from '../../../../errors/failure.ts';
import { dropAnswer } from '../../../../http/drop-answer.ts';
import { parseField, rootTypes } from '../../operation.ts';
import type { EventRoot } from '../subscriptions/results.ts';
import { type Asker, FieldMessage, fieldInput } from './field-message.ts';
import { type Fit, fitOf } from './fit.ts';

/** What the fields of one operation share. */
export interface FieldContext {
  readonly asker: Asker;
  readonly variables: Readonly<Record<string, unknown>>;
  /** What fields of root types answered, by field and input: what is asked twice runs once. */
  readonly answers: Map<string, unknown>;
  /** Keeps the files of the request; undefined: it has none. */
  readonly contents: ContentOwner | undefined;
}

/** What is known of a place of a document, once for all of its executions. */
export interface FieldPlace {
  /** Names of the fields that are selected below it; undefined: the flow answers no single object. */
  readonly requested: readonly string[] | undefined;
}

/** Makes the flows of a configuration the resolvers of their fields. Throws a Failure for a field that is not declared. */
export function bindFields(schema: GraphQLSchema, bindings: readonly Binding[]): void {
  for (const binding of bindings) {
    const { type: typeName, field: name } = parseField(binding.operation ?? '') ?? { type: '', field: '' };
    const type = schema.getType(typeName);
    const field = isObjectType(type) ? type.getFields()[name] : undefined;
    if (field === undefined)
      throw new Failure('internal', `flow "${binding.flow}": the schema has no field ${typeName}.${name}`);
    // Events are its values; the flow is asked when a caller subscribes.
    if (typeName === 'Subscription') continue;
    field.resolve = resolverOf(
      binding,
      `${typeName}.${name}`,
      fitOf(field.type, `${typeName}.${name}`),
      isRoot(type as GraphQLObjectType),
    );
  }
}

/** Makes events the values of the fields of subscriptions, fitted as the answers of flows are. */
export function bindEvents(schema: GraphQLSchema): void {
  for (const field of Object.values(schema.getSubscriptionType()?.getFields() ?? {})) {
    const fit = fitOf(field.type, `Subscription.${field.name}`);
    field.resolve = ({ event }: EventRoot) => fit(event);
  }
}

function isRoot({ name }: GraphQLObjectType): boolean {
  return (rootTypes as readonly string[]).includes(name);
}

type Values = Readonly<Record<string, unknown>>;

function resolverOf({ flow, deliver }: Binding, field: string, fit: Fit, root: boolean) {
  const settle = (outcome: Outcome) => {
    if (outcome.kind === 'reply') return fit(outcome.value);
    const answered = dropAnswer(outcome);
    if (answered instanceof Failure) throw answered;
    return null;
  };
  const fail = (error: unknown) => {
    throw asFailure(error, { flow });
  };
  const run = (message: FieldMessage): unknown => {
    let outcome: Outcome | Promise<Outcome>;
    try {
      outcome = deliver(message);
    } catch (error) {
      return fail(error);
    }
    return outcome instanceof Promise ? outcome.then(settle, fail) : settle(outcome);
  };
  return (parent: Values, args: Values, { asker, variables, answers, contents }: FieldContext, place: object) => {
    const { requested } = place as FieldPlace;
    const asked = fieldInput(args, root ? undefined : parent, variables);
    const message = () => new FieldMessage(asker, field, asked, requested, contents);
    // Files are not compared: each field that is asked with one runs.
    if (!root || contents !== undefined || field.startsWith('Mutation.')) return run(message());
    const key = `${field} ${JSON.stringify(toJson(asked.input))} ${requested?.join(' ') ?? ''}`;
    if (answers.has(key)) return answers.get(key);
    const answer = run(message());
    answers.set(key, answer);
    return answer;
  };
}
