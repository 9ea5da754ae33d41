import { Fields } from '@svc/protocol/cel';
import type { ArgumentSource, CelSource } from '@svc/protocol/schema';
import type { Frame } from '../message/frame.ts';
import type { Expression } from './expression.ts';

/** What an argument is evaluated with: the variables of its expressions, and the message that `":name"` takes fields of. */
export type Scope = Pick<Frame, 'input'>;

/** Gives the value of an argument for one message; a promise where an expression in it waits. */
export type Evaluate = (scope: Scope) => unknown;

/** A compiled argument: a constant, or a value that is computed for each message. */
export type Argument =
  | { readonly constant: unknown }
  | {
      readonly evaluate: Evaluate;
      readonly waits?: boolean | undefined;
      /** The expression that it is; absent where it is made of several. */
      readonly expression?: Expression;
    };

/**
 * Compiles constants in which some texts are expressions. With `fields`, a text `":name"` takes that field of the
 * message and stays literal when the message does not have it (docs/specification/connectors.md#texts-and-expressions).
 */
export function compileArgument(
  source: ArgumentSource,
  expression: (source: CelSource, title: string) => Expression,
  title: string,
  fields = false,
): Argument {
  const compile = (item: ArgumentSource, itemTitle: string) => compileArgument(item, expression, itemTitle, fields);
  switch (source.kind) {
    case 'constant': {
      const { value } = source;
      if (!fields || typeof value !== 'string' || !/^:[A-Za-z_]\w*$/.test(value)) return { constant: value };
      const name = value.slice(1);
      return { evaluate: ({ input }) => (Object.hasOwn(input, name) ? input[name] : value) };
    }
    case 'cel': {
      const compiled = expression(source, title);
      return { evaluate: (frame) => compiled.value(frame), waits: compiled.waits, expression: compiled };
    }
    case 'list': {
      const items = source.items.map((item, at) => compile(item, `${title}[${at}]`));
      if (items.every((item) => 'constant' in item)) return { constant: items.map((item) => item.constant) };
      if (items.some(isWaiting)) return { evaluate: (frame) => inTurn(items, frame), waits: true };
      return { evaluate: (frame) => items.map((item) => settle(item, frame)) };
    }
    case 'map': {
      const entries = source.entries.map(([name, item]) => [name, compile(item, `${title}.${name}`)] as const);
      const build = (frame: Scope | undefined) => {
        const map = new Fields();
        for (const [name, item] of entries) map[name] = settle(item, frame as Scope);
        return map;
      };
      if (entries.some(([, item]) => isWaiting(item)))
        return {
          waits: true,
          evaluate: async (frame) => {
            const map = new Fields();
            for (const [name, item] of entries) map[name] = await settle(item, frame);
            return map;
          },
        };
      return entries.every(([, item]) => 'constant' in item)
        ? { constant: build(undefined) }
        : { evaluate: (frame) => build(frame) };
    }
  }
}

function isWaiting(argument: Argument): boolean {
  return 'waits' in argument && argument.waits === true;
}

async function inTurn(items: readonly Argument[], frame: Scope): Promise<unknown[]> {
  const values: unknown[] = [];
  for (const item of items) values.push(await settle(item, frame));
  return values;
}

function settle(argument: Argument, frame: Scope): unknown {
  return 'constant' in argument ? argument.constant : argument.evaluate(frame);
}

/** The argument as a function; undefined stays undefined. */
export function evaluator(argument: Argument | undefined): Evaluate | undefined {
  if (argument === undefined) return undefined;
  if ('evaluate' in argument) return argument.evaluate;
  const { constant } = argument;
  return () => constant;
}

/** An argument as it would be written as one expression. */
export function written(source: ArgumentSource): string {
  switch (source.kind) {
    case 'cel':
      return source.source;
    case 'constant':
      return JSON.stringify(source.value, (_, value) => (typeof value === 'bigint' ? String(value) : value)) ?? 'null';
    case 'list':
      return `[${source.items.map(written).join(', ')}]`;
    case 'map':
      return `{${source.entries.map(([name, item]) => `${JSON.stringify(name)}: ${written(item)}`).join(', ')}}`;
  }
}
