import type { Frame } from '../../../engine/flow/message/frame.ts';
import { factsOf } from '../../../engine/flow/pipeline/stages.ts';
import type { WatchedStage } from '../../../foundation/contracts/probe.ts';

/** What expressions of a client read before a stage: `output` is there what the stage will read. */
export function scopeBefore({ stage }: WatchedStage, scope: object): object {
  const { sees } = factsOf(stage);
  if (sees === undefined) return scope;
  return Object.create(scope, { output: { value: sees(scope as Frame), enumerable: true } }) as object;
}

/** The data that a stage works on. */
export function comingIn({ stage }: WatchedStage, frame: Frame): unknown {
  const { takes } = factsOf(stage);
  return takes === undefined ? frame.input : takes(frame);
}

/** What a stage has made. */
export function comingOut({ stage, name }: WatchedStage, frame: Frame, result: unknown): unknown {
  const { gives } = factsOf(stage);
  return gives === undefined ? frame.input : gives(frame, name, result);
}
