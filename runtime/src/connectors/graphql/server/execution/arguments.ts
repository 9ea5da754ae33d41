import { isDeepStrictEqual } from 'node:util';
import { Fields } from '@svc/protocol/cel';
import {
  type FieldNode,
  type GraphQLArgument,
  GraphQLError,
  getNullableType,
  isInputObjectType,
  isNonNullType,
  Kind,
  print,
  type ValueNode,
  valueFromAST,
  visit,
} from 'graphql';
import { Failure } from '../../../../foundation/errors/failure.ts';
import type { Variables } from './variables.ts';

/** The values of the arguments of one place by name. Throws a GraphQLError for null where the type excludes it. */
export type Arguments = (variables: Variables) => Readonly<Record<string, unknown>>;

type Read = (variables: Variables) => unknown;

const none = Object.freeze(new Fields());

/** What the arguments of a field are at one place of a document that was found valid, decided once. */
export function argumentsOf(declared: readonly GraphQLArgument[], node: FieldNode): Arguments {
  const written = new Map((node.arguments ?? []).map(({ name, value }) => [name.value, value]));
  const reads = declared.flatMap((argument): (readonly [string, Read])[] => {
    const value = written.get(argument.name);
    if (value !== undefined) return [[argument.name, readOf(argument, value)]];
    return argument.defaultValue === undefined ? [] : [[argument.name, copied(argument.defaultValue)]];
  });
  if (reads.length === 0) return () => none;
  const settle = settlingOf(declared);
  return (variables) => {
    const values = new Fields();
    for (const [name, read] of reads) {
      const value = read(variables);
      if (value !== undefined) values[name] = value;
    }
    settle?.(values);
    return values;
  };
}

/**
 * Flows read an argument and a field of `input` that have one name as one value. Leaves out the argument where its default
 * is beside a value of the field; throws `value_refused` where both have a value and these differ.
 */
function settlingOf(declared: readonly GraphQLArgument[]): ((values: Record<string, unknown>) => void) | undefined {
  const input = declared.find(({ name }) => name === 'input');
  const others = declared.filter((argument) => argument !== input);
  if (input === undefined || others.length === 0) return undefined;
  const bare = getNullableType(input.type);
  const fields = isInputObjectType(bare) ? bare.getFields() : {};
  return (values) => {
    const inner = values['input'];
    if (!isFields(inner)) return;
    for (const { name, defaultValue } of others) {
      if (values[name] === undefined || !Object.hasOwn(inner, name) || inner[name] === undefined) continue;
      if (isSame(values[name], inner[name])) continue;
      if (isDefault(values[name], defaultValue)) delete values[name];
      else if (!isDefault(inner[name], fields[name]?.defaultValue)) throw twoValues(name);
    }
  };
}

/** Whether a value of an argument holds fields of the message. */
export function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isDefault(value: unknown, declared: unknown): boolean {
  return declared !== undefined && isDeepStrictEqual(value, declared);
}

function isSame(one: unknown, other: unknown): boolean {
  return isPlain(one) && isPlain(other) ? String(one) === String(other) : isDeepStrictEqual(one, other);
}

function isPlain(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint';
}

function twoValues(field: string): Failure {
  const message = `"${field}" is an argument and a field of \`input\`, with different values`;
  return new Failure('value_refused', message, { fields: [{ field, code: 'conflict', message }] });
}

/** Undefined: the argument is absent, since the variable was not sent. */
function readOf(argument: GraphQLArgument, node: ValueNode): Read {
  const { name, type, defaultValue } = argument;
  const required = isNonNullType(type);
  const nullRefused = () =>
    new GraphQLError(`Argument "${name}" of non-null type "${type}" must not be null.`, { nodes: node });
  if (node.kind === Kind.VARIABLE) {
    const variable = node.name.value;
    const missing = defaultValue === undefined ? () => undefined : copied(defaultValue);
    return (variables) => {
      const value = Object.hasOwn(variables, variable) ? variables[variable] : undefined;
      if (value === undefined) {
        if (required && defaultValue === undefined)
          throw new GraphQLError(
            `Argument "${name}" of required type "${type}" was provided the variable "$${variable}" which was not provided a runtime value.`,
            { nodes: node },
          );
        return missing();
      }
      if (value === null && required) throw nullRefused();
      return value;
    };
  }
  if (!hasVariables(node)) return copied(valueFromAST(node, type));
  return (variables) => {
    const value = valueFromAST(node, type, variables);
    if (value === undefined)
      throw new GraphQLError(`Argument "${name}" has invalid value ${print(node)}.`, { nodes: node });
    if (value === null && required) throw nullRefused();
    return value;
  };
}

/** A constant, as a value of its own for each message: flows may change what they are given. */
function copied(value: unknown): () => unknown {
  return typeof value === 'object' && value !== null ? () => structuredClone(value) : () => value;
}

function hasVariables(node: ValueNode): boolean {
  let found = false;
  visit(node, {
    Variable: () => {
      found = true;
    },
  });
  return found;
}
