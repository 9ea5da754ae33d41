import type { Declarations, DeclaredType, ReturnShape, SentOperation } from '../../../foundation/contracts/types.ts';
import { verbOfName } from '../../core/verb-of-name.ts';
import { parseField } from '../operation.ts';
import type { Described } from './described.ts';
import type { TypeWriter } from './types.ts';

/** Fields that flows resolve or feed, by type and name, in the order of flows. */
export type FieldsByType = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** The fields of flows as texts: `order(id: ID): order`. The first flow of a field decides. */
export function fieldsOfFlows(
  bindings: readonly Described[],
  { types, sent }: Declarations,
  writer: TypeWriter,
): FieldsByType {
  const known = new Map(types.map((type) => [type.name, type]));
  const found = new Map<string, Map<string, string>>();
  const add = (type: string, field: string, text: () => string | undefined) => {
    const fields = found.get(type) ?? new Map<string, string>();
    found.set(type, fields);
    if (fields.has(field)) return;
    const written = text();
    if (written !== undefined) fields.set(field, written);
  };
  for (const binding of bindings) {
    const parsed = parseField(binding.operation ?? '');
    if (parsed === undefined) continue;
    const { type, field } = parsed;
    add(type, field, () => {
      const owner = known.get(type);
      return owner === undefined
        ? rootField(type, field, binding, known, writer)
        : fieldOfType(owner, field, binding, known, writer);
    });
  }
  for (const operation of sent) {
    const field = publishedField(operation);
    const { returns } = operation;
    if (field !== undefined)
      add('Subscription', field, () => `${field}: ${returns === undefined ? 'JSON' : typeText(returns, known)}`);
  }
  return found;
}

/** The field of `Subscription` that what is sent is published to; undefined when it goes elsewhere. */
export function publishedField({ operation, target }: Pick<SentOperation, 'operation' | 'target'>): string | undefined {
  const parsed = parseField((operation === 'publish' || operation === undefined ? target : operation) ?? '');
  return parsed?.type === 'Subscription' ? parsed.field : undefined;
}

type Known = ReadonlyMap<string, DeclaredType>;

function rootField(type: string, field: string, flow: Described, known: Known, writer: TypeWriter): string {
  const { returns } = flow;
  if (returns === undefined && (type === 'Query' || flow.validates?.input === undefined))
    return `${field}(input: JSON): ${type === 'Query' ? '[JSON]' : 'JSON'}`;
  const args = argumentsOf(flow, known, writer);
  const input = type === 'Mutation' ? inputOfMutation(field, flow, known) : undefined;
  if (input !== undefined && (args.length === 0 || input.isBeside))
    args.push(`input: ${writer.inputs.nameOf(input.type)}`);
  if (args.length === 0) args.push(...inferredOf(type, flow, known, writer));
  return `${field}(${args.join(', ')}): ${returns === undefined ? 'JSON' : typeText(returns, known)}`;
}

/** A field below a root: what the type declares of it holds, unless the flow says what it returns. */
function fieldOfType(
  owner: DeclaredType,
  field: string,
  flow: Described,
  known: Known,
  writer: TypeWriter,
): string | undefined {
  const { returns } = flow;
  const declared = owner.fields.find(({ name }) => name === field);
  const args = argumentsOf(flow, known, writer);
  const asked = args.length === 0 ? '' : `(${args.join(', ')})`;
  if (returns !== undefined) return `${field}${asked}: ${typeText(returns, known)}`;
  return `${field}${asked}: ${declared === undefined ? 'JSON' : writer.outputOf(owner.name, declared)}`;
}

/** What the flow asks for by name, typed as the returned type has it. */
function argumentsOf({ asked = [], returns, words }: Described, known: Known, writer: TypeWriter): string[] {
  const returned = known.get(returns?.type ?? '');
  const ofBatch = 'batch' in words && words['batch'] !== undefined ? ['keys', words['match'] ?? words['batch']] : [];
  return asked.flatMap((name) => {
    if (ofBatch.includes(name)) return [];
    const like = returned?.fields.find((each) => each.name === name);
    return `${name}: ${returned === undefined || like === undefined ? 'String' : writer.inputOf(returned.name, like)}`;
  });
}

/**
 * The type of what a mutation is sent: that which its flow checks, else the one that it returns. A deletion that names
 * its arguments, and checks nothing, is sent nothing else.
 */
function inputOfMutation(field: string, { validates, returns, asked = [] }: Described, known: Known) {
  const checked = known.get(validates?.input ?? '');
  const type = checked ?? known.get(returns?.type ?? '');
  if (type === undefined || asked.includes('input')) return undefined;
  return { type: type.name, isBeside: checked !== undefined || verbOfName(field) !== 'delete' };
}

/** Arguments where the flow names none. */
function inferredOf(
  type: string,
  { returns, selects }: Described,
  known: Known,
  writer: TypeWriter,
): readonly string[] {
  const returned = known.get(returns?.type ?? '');
  if (type !== 'Query' || returned === undefined || returns?.list === true || selects !== true) return ['input: JSON'];
  const keys = keyFields(returned).map((field) => `${field.name}: ${writer.inputOf(returned.name, field)}`);
  return [...keys, 'input: JSON'];
}

/** The fields by which one object of the type is asked for: those of its keys, else those that are an `id`. */
function keyFields({ fields, federation: { keys } }: DeclaredType) {
  const named = new Set(keys.flatMap((key) => key.replace(/\{[^}]*\}/g, ' ').match(/\w+/g) ?? []));
  const own = fields.filter(({ name }) => name !== 'input');
  return named.size > 0 ? own.filter(({ name }) => named.has(name)) : own.filter(({ shape }) => shape.kind === 'id');
}

/** A returned type as SDL; one that nothing declares is any JSON. */
export function typeText(
  { type, scalar, list, nullable, nullableElements }: ReturnShape,
  known: { has(name: string): boolean },
): string {
  const name = scalar || known.has(type) ? type : 'JSON';
  if (!list) return nullable ? name : `${name}!`;
  return `[${name}${nullableElements ? '' : '!'}]${nullable ? '' : '!'}`;
}
