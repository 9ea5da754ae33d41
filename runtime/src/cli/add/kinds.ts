import type { Vocabulary } from '@svc/protocol/schema';
import { connector } from './connector.ts';
import { constants, transform, type, validator } from './definitions.ts';
import { flow } from './flow.ts';
import type { AddKind } from './kind.ts';
import { aspect, saga, stateMachine } from './orchestration.ts';

/** Everything that `svc add` can write, in the order in which it is listed. */
export const kinds: readonly AddKind[] = [
  connector,
  flow,
  type,
  aspect,
  saga,
  stateMachine,
  validator,
  transform,
  constants,
];

/** Whether this version has the block of a kind. */
export function isAvailable({ word }: AddKind, { blocks }: Vocabulary): boolean {
  return word === 'connector' || Object.hasOwn(blocks, word);
}
