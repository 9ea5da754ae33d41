import type { WatchedStage } from '../../../foundation/contracts/probe.ts';
import type { StepPart } from './part.ts';

/** Thrown where a watched flow waits: the flow returns to a stage that it began earlier, in the same loop. */
export class Restart extends Error {
  override readonly name = 'Restart';
  readonly #place: WatchedStage;

  constructor(place: WatchedStage) {
    super('begun again');
    this.#place = place;
  }

  /** Where the flow continues; -1 when the stage is not among the parts. */
  positionIn(parts: readonly StepPart[]): number {
    return parts.findIndex(({ announced }) => announced === this.#place);
  }
}
