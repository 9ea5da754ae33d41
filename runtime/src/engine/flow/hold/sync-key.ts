import type { ArgumentSource } from '@svc/protocol/schema';
import { asFailure } from '../../../foundation/errors/classify.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import { type Expression, kindOf } from '../compile/expression.ts';
import type { Frame } from '../message/frame.ts';
import type { RuleWatch, WatchedRule } from '../message/part.ts';
import { watched } from '../message/watched.ts';
import type { FlowTools } from '../tools.ts';
import { foldUuids } from './uuid-spelling.ts';

/** The key on which executions of flows synchronize: a name of the configuration, or a text of each message. */
export interface SyncKey {
  /** The expression, when it is one. */
  readonly rules: readonly WatchedRule[];
  /** Throws `expression_failed` without a text: a key has no substitute. */
  readonly of: (frame: Frame) => string;
  /** The same with the expression announced. */
  readonly watched: (frame: Frame, watch: RuleWatch) => string | Promise<string>;
}

/** The value of a key by which executions exclude each other. Whatever it reads, a message without one is over. */
export function keyValue(expression: Expression, frame: Frame): unknown {
  try {
    return expression.evaluate(frame);
  } catch (error) {
    throw asFailure(error).neverPasses();
  }
}

/** The failure of what is not a key by which executions exclude each other. */
export function notAKey(text: string): Failure {
  return new Failure('expression_failed', text, { passes: 'never' });
}

/** Compiles a key; `title` is its block: `lock`. */
export function compileSyncKey(source: ArgumentSource, title: string, tools: FlowTools): SyncKey {
  if (source.kind !== 'cel') {
    const text = String(source.kind === 'constant' ? source.value : '');
    return { rules: [], of: () => text, watched: () => text };
  }
  const expression = tools.expression(source, `${title}: key`);
  const of = (frame: Frame): string => {
    const value = keyValue(expression, frame);
    if (typeof value === 'string' && value !== '') return foldUuids(value);
    if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean') return String(value);
    throw notAKey(`${title}: key must give a text or a number, not ${kindOf(value)}`);
  };
  return {
    rules: [{ index: 0, target: 'key', expression: source.source }],
    of,
    watched: (frame, watch) => watched(watch, 0, frame, () => of(frame)),
  };
}
