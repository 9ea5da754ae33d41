import { toJson } from '@svc/protocol/cel';
import type { FlowProbe, WatchedRule, WatchedStage } from '../../foundation/contracts/probe.ts';
import { sameJson } from './compare.ts';

/** A rule that ran, with what it gave. */
export interface SeenRule {
  readonly flow: string;
  readonly place: WatchedStage;
  readonly rule: WatchedRule;
  /** What its expression reads; later stages may have changed it. */
  readonly frame: object;
  readonly error: unknown;
  readonly result: unknown;
}

/** Called with everything that ran, for the coverage. */
export interface Witness {
  flow(flow: string): void;
  stage(flow: string, place: WatchedStage): void;
  rule(seen: SeenRule): void;
}

/** Watches the flows of one test: which rule gave which value. It never waits. */
export class FlowWatch implements FlowProbe {
  readonly attached = true;
  readonly #rules: SeenRule[] = [];
  readonly #witness: Witness | undefined;

  constructor(witness: Witness | undefined) {
    this.#witness = witness;
  }

  begin(flow: string): unknown {
    this.#witness?.flow(flow);
    return flow;
  }

  enter(thread: unknown, place: WatchedStage, rule: WatchedRule | undefined): void {
    if (rule === undefined) this.#witness?.stage(thread as string, place);
  }

  leave(
    thread: unknown,
    place: WatchedStage,
    rule: WatchedRule | undefined,
    frame: object,
    error: unknown,
    result: unknown,
  ): void {
    if (rule === undefined) return;
    const seen: SeenRule = { flow: thread as string, place, rule, frame, error, result };
    this.#rules.push(seen);
    this.#witness?.rule(seen);
  }

  end(): void {}

  /** The rule that gave this value to a field, the last one when several did; the stages that shape answers first. */
  giver(flow: string, stages: readonly string[], field: string, value: unknown): SeenRule | undefined {
    for (const stage of stages) {
      const named = this.#rules.filter(
        (seen) => seen.flow === flow && seen.place.stage === stage && nameOf(seen.rule) === field,
      );
      const found = named.findLast(({ result, error }) => error === undefined && sameJson(toJson(result), value));
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** The last rule of a stage that ran. */
  last(flow: string, stage: string): SeenRule | undefined {
    return this.#rules.findLast((seen) => seen.flow === flow && seen.place.stage === stage);
  }

  /** The rule by which a flow failed. */
  failing(message: string): SeenRule | undefined {
    return this.#rules.findLast(({ error }) => error instanceof Error && message.includes(error.message));
  }
}

/** `total` of `transform.total` and `params.total`. */
function nameOf({ target }: WatchedRule): string {
  return target.slice(target.lastIndexOf('.') + 1);
}
