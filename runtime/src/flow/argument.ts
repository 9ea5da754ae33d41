import { Fields } from '@svc/protocol/cel';
import type { ArgumentSource, CelSource } from '@svc/protocol/schema';
import type { Expression } from './expression.ts';
import type { Frame } from './frame.ts';

/** Gives the value of an argument for one message. */
export type Evaluate = (frame: Frame) => unknown;

/** A compiled argument: a value that no message changes, or one that is computed. */
export type Argument = { readonly constant: unknown } | { readonly evaluate: Evaluate };

/**
 * Compiles constants in which some texts are expressions. With `fields`, a text `":name"` takes that field of the
 * message and stands for itself when the message has none (supplement-connectors 3.6).
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
      return { evaluate: (frame) => compiled.evaluate(frame) };
    }
    case 'list': {
      const items = source.items.map((item, at) => compile(item, `${title}[${at}]`));
      if (items.every((item) => 'constant' in item)) return { constant: items.map((item) => item.constant) };
      return { evaluate: (frame) => items.map((item) => settle(item, frame)) };
    }
    case 'map': {
      const entries = source.entries.map(([name, item]) => [name, compile(item, `${title}.${name}`)] as const);
      const build = (frame: Frame | undefined) => {
        const map = new Fields();
        for (const [name, item] of entries) map[name] = settle(item, frame as Frame);
        return map;
      };
      return entries.every(([, item]) => 'constant' in item)
        ? { constant: build(undefined) }
        : { evaluate: (frame) => build(frame) };
    }
  }
}

function settle(argument: Argument, frame: Frame): unknown {
  return 'constant' in argument ? argument.constant : argument.evaluate(frame);
}

/** The argument as a function; undefined stays undefined. */
export function evaluator(argument: Argument | undefined): Evaluate | undefined {
  if (argument === undefined) return undefined;
  if ('evaluate' in argument) return argument.evaluate;
  const { constant } = argument;
  return () => constant;
}
