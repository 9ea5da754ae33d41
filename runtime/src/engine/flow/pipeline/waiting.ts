import type { Announce, Part } from '../message/part.ts';
import { unwatched } from '../message/watched.ts';

const unannounced: Announce = (_place, _frame, work) => work(unwatched);

/**
 * A part with an expression whose value comes later. The variant for observers does one rule after another and waits for
 * each, so that it does the work of the plain one too. Parts without such expressions keep the plain one.
 */
export function waiting(part: Part): Part {
  if ('around' in part) return part.split === undefined ? part : { ...part, around: part.split(unannounced) };
  const { split, ruled, prepare } = part;
  if (split !== undefined) return { ...part, step: split(unannounced) };
  if (ruled === undefined) return part;
  const step = ruled(unwatched);
  return {
    ...part,
    step: (frame) => {
      prepare?.(frame);
      return step(frame);
    },
  };
}
