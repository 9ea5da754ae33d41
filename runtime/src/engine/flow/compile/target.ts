import type { ArgumentSource } from '@svc/protocol/schema';
import type { Frame } from '../message/frame.ts';
import type { FlowTools } from '../tools.ts';
import { compileArgument } from './argument.ts';
import { kindOf, type Repeating, unusable } from './expression.ts';

/** A table or path: text of the configuration, or taken from each message. */
export type TargetOf = string | MessageTarget | undefined;

/** A target that each message names. */
export interface MessageTarget extends Repeating {
  (frame: Frame): string;
}

/** Compiles `target`. A message that gives no text for it fails: nothing is written to an unnamed target. */
export function compileTarget(source: ArgumentSource | string | undefined, title: string, tools: FlowTools): TargetOf {
  if (source === undefined || typeof source === 'string') return source;
  const argument = compileArgument(source, (cel, at) => tools.expression(cel, at), `${title}: target`);
  if ('constant' in argument) return argument.constant === null ? undefined : String(argument.constant);
  const { expression } = argument;
  const of = (frame: Frame) => {
    const value = argument.evaluate(frame);
    if (typeof value === 'string' && value !== '') return value;
    if (typeof value === 'number' || typeof value === 'bigint') return String(value);
    throw unusable(`${title}: target must give a text, not ${kindOf(value)}`, expression, frame);
  };
  return Object.assign(of, { repeats: (scope: object) => expression?.repeats(scope) === true });
}
