import { Fields } from '@svc/protocol/cel';
import {
  type FieldNode,
  type GraphQLArgument,
  GraphQLError,
  isNonNullType,
  Kind,
  print,
  type ValueNode,
  valueFromAST,
  visit,
} from 'graphql';
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
  return (variables) => {
    const values = new Fields();
    for (const [name, read] of reads) {
      const value = read(variables);
      if (value !== undefined) values[name] = value;
    }
    return values;
  };
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
