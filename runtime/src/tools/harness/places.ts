import type { CelEngine, CelProgram } from '@svc/protocol/cel';
import type { Project } from '@svc/protocol/model';
import type { Origin } from '@svc/protocol/schema';
import { flowStops } from '../../checks/language/stops.ts';
import type { SeenRule } from './watch.ts';

/** Where rules are written, and what they are compiled to. */
export class Places {
  readonly #project: Project;
  readonly #engine: CelEngine;
  #known: ReadonlyMap<string, Origin> | undefined;

  constructor(project: Project, engine: CelEngine) {
    this.#project = project;
    this.#engine = engine;
  }

  /** Where the expression of a rule is written. */
  of({ flow, place, rule }: SeenRule): Origin | undefined {
    this.#known ??= new Map(
      flowStops(this.#project).map(({ file, range, ...stop }) => [
        keyOf(stop.flow, stop.stage, stop.name, stop.ruleIndex),
        { file, range },
      ]),
    );
    return this.#known.get(keyOf(flow, place.stage, place.declared ?? place.name, rule.index));
  }

  /** The expression of a rule; undefined when it has no expression, or not a valid one. */
  program({ rule }: SeenRule): CelProgram | undefined {
    if (rule.isStatement) return undefined;
    const compiled = this.#engine.compile(rule.expression, { check: false });
    return compiled.ok ? compiled.program : undefined;
  }
}

function keyOf(flow: string, stage: string, name: string, rule: number | undefined): string {
  return [flow, stage, name, rule ?? ''].join('\n');
}
