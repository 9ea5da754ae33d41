import type { Frame } from '../../../engine/flow/message/frame.ts';
import { factsOf } from '../../../engine/flow/pipeline/stages.ts';
import type { WatchedStage } from '../../../foundation/contracts/probe.ts';

interface Saved {
  readonly variables: Pick<Frame, 'input' | 'output' | 'captured' | 'error' | 'answer' | 'status' | 'headers'>;
  /** Names of the steps and enrichments that had results. */
  readonly step: ReadonlySet<string>;
  readonly enriched: ReadonlySet<string>;
}

/** A stage that a thread has begun. */
export interface Visit {
  readonly place: WatchedStage;
  /** What the flow held before it. Values that were changed in place stay changed. */
  readonly saved: Saved;
  /** Whether its work was carried out, at least in part. */
  isOver: boolean;
}

/** The stages that a thread has begun, each once, in the order of their last beginning. */
export class Visits {
  #visits: Visit[] = [];

  begin(place: WatchedStage, frame: Frame): void {
    // A flow that is tried again has not done yet what follows this stage.
    const before = this.#visits.findIndex((visit) => visit.place === place);
    if (before >= 0) this.#visits.length = before;
    this.#visits.push({ place, saved: savedOf(frame), isOver: false });
  }

  finish(place: WatchedStage): void {
    const visit = this.#visits.findLast((each) => each.place === place);
    if (visit !== undefined) visit.isOver = true;
  }

  /** The last visit of a stage, or why a thread that is at `here` cannot go back to it. */
  wayBack(here: WatchedStage, stage: string, name: string | undefined): Visit | string {
    const at = this.#visits.findLastIndex(({ place }) => place.stage === stage && (name ?? place.name) === place.name);
    const visit = this.#visits[at];
    const title = titleOf(stage, name ?? visit?.place.name ?? '');
    if (visit === undefined) return `${title} has not begun`;
    const written = this.#visits.slice(at).find(({ place, isOver }) => factsOf(place.stage).acts && isOver);
    if (written !== undefined)
      return `${title} cannot begin again: ${titleOf(written.place.stage, written.place.name)} was carried out or may have been`;
    const { loop } = visit.place;
    if (loop === undefined) return `${title} cannot begin again: it is decided together with others`;
    if (here.loop === undefined)
      return `${titleOf(here.stage, here.name)} cannot be left: it is decided together with others`;
    if (here.loop !== loop)
      return `${title} cannot begin again from ${titleOf(here.stage, here.name)}: a cache or a retry has begun between them`;
    return visit;
  }
}

/** Puts back what the flow held before a stage. */
export function goBack(frame: Frame, { saved }: Visit): void {
  Object.assign(frame, saved.variables);
  forget(frame.step, saved.step);
  forget(frame.enriched, saved.enriched);
}

function savedOf({ input, output, step, enriched, captured, error, answer, status, headers }: Frame): Saved {
  return {
    variables: { input, output, captured, error, answer, status, headers },
    step: namesOf(step),
    enriched: namesOf(enriched),
  };
}

const none: ReadonlySet<string> = new Set();

function namesOf(results: Record<string, unknown>): ReadonlySet<string> {
  return Object.isFrozen(results) ? none : new Set(Object.keys(results));
}

/** Results of earlier stages stay, as they may have been changed since. */
function forget(results: Record<string, unknown>, kept: ReadonlySet<string>): void {
  for (const name of Object.keys(results)) if (!kept.has(name)) delete results[name];
}

function titleOf(stage: string, name: string): string {
  return name === '' ? `stage "${stage}"` : `stage "${stage}" "${name}"`;
}
