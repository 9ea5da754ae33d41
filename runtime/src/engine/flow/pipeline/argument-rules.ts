import type { ArgumentSource, CelSource } from '@svc/protocol/schema';
import type { StopPlace } from './descriptor.ts';

type Rules = StopPlace['rules'];

/** The rules of the written expressions: in an unfinished block any of them may be missing. */
export function written(...sources: readonly (CelSource | undefined)[]): Rules {
  return sources.filter((each) => each !== undefined);
}

/** Every entry of an object, every item of a list, or the whole. */
export function argumentRules(argument: ArgumentSource | undefined): Rules {
  if (argument === undefined) return [];
  if (argument.kind === 'map') return argument.entries.map(([, item]) => item);
  return argument.kind === 'list' ? argument.items : [argument];
}

/** A key that is an expression; a plain name has no stop. */
export function keyRules(key: ArgumentSource | undefined): Rules {
  return key?.kind === 'cel' ? [key] : [];
}
