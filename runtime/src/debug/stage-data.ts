import type { WatchedStage } from '../contracts/probe.ts';
import type { Frame } from '../flow/frame.ts';
import { viewOf } from '../flow/stages/response/stage.ts';

/** Stages whose own work changes nothing of the frame. */
export const readingStages = new Set([
  ...['input', 'filter', 'accept', 'validate_input', 'validate_output', 'cache_hit', 'cache_miss'],
  ...['lock', 'semaphore', 'coordinate', 'sequence_guard', 'aspect'],
  ...['async', 'idempotency', 'dedupe'],
]);
const payloadStages = new Set(['write']);
const answerStages = new Set(['response', 'validate_output', 'cache_hit']);

/** What expressions of a client read before a stage: `output` is there what the stage will read. */
export function scopeBefore({ stage }: WatchedStage, scope: object): object {
  if (stage !== 'response' && stage !== 'validate_output') return scope;
  const { answer } = scope as Frame;
  const value = stage === 'response' ? viewOf(answer) : answer;
  return Object.create(scope, { output: { value, enumerable: true } }) as object;
}

/** The data that a stage works on. */
export function comingIn({ stage }: WatchedStage, { input, output, answer }: Frame): unknown {
  if (payloadStages.has(stage)) return output ?? input;
  return answerStages.has(stage) ? answer : input;
}

/** What a stage has made. */
export function comingOut({ stage, name }: WatchedStage, frame: Frame, result: unknown): unknown {
  switch (stage) {
    case 'step':
      return frame.step[name];
    case 'enrich':
      return frame.enriched[name];
    case 'transform':
      return frame.output ?? frame.answer;
    case 'read':
    case 'write':
      return result ?? frame.answer;
    case 'response':
    case 'validate_output':
    case 'cache_hit':
      return frame.answer;
    default:
      return frame.input;
  }
}
