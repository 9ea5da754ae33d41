import type { HiddenAnswers, KeptAnswers, PlanAnswers } from '../../foundation/contracts/kept-answers.ts';
import type { WatchedStage } from '../../foundation/contracts/probe.ts';
import { hiddenValuesIn } from '../workflows/hidden-values.ts';

/** Collects while flows are compiled which answers they keep, and what of these is not shown. */
export class AnswersOfFlows implements PlanAnswers {
  readonly kept: KeptAnswers[] = [];
  readonly #stages: ReadonlyMap<string, readonly WatchedStage[]>;
  readonly #calls = new Map<string, Set<string>>();
  readonly #fields = new Map<string, readonly string[]>();
  readonly #hidden = new Map<string, HiddenAnswers>();

  /** `stages`: those of each flow, whole before anything is asked. */
  constructor(stages: ReadonlyMap<string, readonly WatchedStage[]>) {
    this.#stages = stages;
  }

  /** One flow calls another: what that one reads may be in the answer of the first. */
  calls(flow: string, called: string): void {
    const known = this.#calls.get(flow);
    if (known === undefined) this.#calls.set(flow, new Set([called]));
    else known.add(called);
  }

  /** Fields of the messages of a flow that hold credentials. */
  hides(flow: string, fields: readonly string[]): void {
    if (fields.length > 0) this.#fields.set(flow, fields);
  }

  hidden(flow: string): HiddenAnswers {
    let hidden = this.#hidden.get(flow);
    if (hidden === undefined) {
      const reached = this.#reached(flow);
      const values = hiddenValuesIn([...reached].flatMap((name) => this.#stages.get(name) ?? []));
      const secret = [...reached].some((name) => this.#fields.has(name));
      hidden = { values: values ?? (secret ? 'outside_development' : undefined), fields: this.#fields.get(flow) ?? [] };
      this.#hidden.set(flow, hidden);
    }
    return hidden;
  }

  /** The flow, and all that it calls. */
  #reached(flow: string): ReadonlySet<string> {
    const reached = new Set([flow]);
    for (const name of reached) for (const called of this.#calls.get(name) ?? []) reached.add(called);
    return reached;
  }
}
