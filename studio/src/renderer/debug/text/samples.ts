import { editorsOf } from '../../editor/editors.ts';
import type { Studio } from '../../shell/studio.ts';
import { Store } from '../../state/store.ts';
import type { FlowMap, OutlineFlow, OutlineRule, OutlineStage } from '../session/flow-map.ts';
import { recordedVariables } from '../session/recorded.ts';
import { debugOf } from '../session/session.ts';
import type { Thread } from '../session/thread.ts';
import { sampleSourceOf } from './sample-source.ts';

/** What a rule gives for a sample. */
export interface SampleValue {
  readonly file: string;
  /** The end of the rule, in UTF-16 units. */
  readonly end: number;
  readonly value: unknown;
  /** Why the rule fails with the sample; empty when it gives a value. */
  readonly error: string;
  /** Which message the sample is: `run 4`, `requests/post-orders.json`. */
  readonly from: string;
}

/** What expressions read of a sample. */
interface Sample {
  readonly from: string;
  readonly scope: { readonly input: unknown; readonly step: unknown; readonly enriched: unknown };
  /** What the destination answered; undefined when it was not asked. */
  readonly answer: unknown;
  /** What rules gave, where they are written as they ran. */
  readonly value: (stage: OutlineStage, rule: OutlineRule) => { readonly value: unknown } | undefined;
}

/**
 * What rules give while they are written: those that no run has evaluated as they are written now, over the last
 * message of their flow, else over its request file. They are computed in the page, and no service is asked.
 */
export class Samples {
  readonly values = new Store<ReadonlyMap<string, SampleValue>>(new Map());
  readonly #studio: Studio;
  readonly #flows: FlowMap;
  #turn = 0;
  #known: readonly unknown[] = [];

  constructor(studio: Studio, flows: FlowMap) {
    this.#studio = studio;
    this.#flows = flows;
    const { model } = debugOf(studio);
    const again = () => void this.#compute().catch(() => undefined);
    for (const store of [flows.outline, model.state, editorsOf(studio).open, sampleSourceOf(studio)])
      store.subscribe(again);
  }

  async #compute(): Promise<void> {
    const [studio, flows] = [this.#studio, this.#flows];
    const { model } = debugOf(studio);
    const paths = new Set(editorsOf(studio).open.value.map(({ document }) => document.path));
    const shown = flows.outline.value.flows.filter(({ file }) => paths.has(file));
    const runs = shown.map(({ name }) => model.runOf(name));
    const known = [flows.outline.value, sampleSourceOf(studio).value, ...paths, ...runs.flatMap(stateOf)];
    if (known.length === this.#known.length && known.every((each, at) => each === this.#known[at])) return;
    this.#known = known;
    const turn = ++this.#turn;
    const values = new Map<string, SampleValue>();
    for (const [at, flow] of shown.entries()) {
      const run = runs[at];
      // Where a thread is under way, its own values are shown.
      if (run !== undefined && run.ended === undefined) continue;
      const sample = run === undefined ? await this.#found(flow) : recorded(run);
      if (sample !== undefined) await this.#evaluate(flow, sample, values);
      if (turn !== this.#turn) return;
    }
    this.values.set(values);
  }

  async #found(flow: OutlineFlow): Promise<Sample | undefined> {
    const found = await sampleSourceOf(this.#studio).value(flow);
    if (found === undefined) return undefined;
    const { input, from } = found;
    return { from, scope: { input, step: {}, enriched: {} }, answer: undefined, value: () => undefined };
  }

  async #evaluate({ stages }: OutlineFlow, sample: Sample, values: Map<string, SampleValue>): Promise<void> {
    const { language } = this.#studio;
    const made: Record<string, unknown> = {};
    for (const stage of stages) {
      const isAnswer = stage.stage === 'response';
      if (isAnswer && sample.answer === undefined) continue;
      for (const rule of stage.rules) {
        const known = sample.value(stage, rule);
        const scope = { ...sample.scope, output: isAnswer ? sample.answer : { ...made } };
        const found = known ?? (await language.askValues('evaluate', rule.expression, scope));
        const { file, range } = rule;
        const place = { file, end: range.end, from: sample.from };
        if ('error' in found) {
          // What is wrong with the text is said by its check; what steps and enrichments give, a sample may lack.
          if (found.reason !== undefined && found.reason !== 'no-such-key' && found.reason !== 'cost-limit')
            values.set(sampleKey(file, range.end), { ...place, value: undefined, error: found.error });
          continue;
        }
        if (stage.stage === 'transform') made[rule.target] = found.value;
        if (known !== undefined) continue;
        values.set(sampleKey(file, range.end), { ...place, value: found.value, error: '' });
      }
    }
  }
}

export function sampleKey(file: string, end: number): string {
  return `${file} ${end}`;
}

function stateOf(run: Thread | undefined): readonly unknown[] {
  return [run?.id, run?.ended];
}

function recorded(run: Thread): Sample {
  const { input, steps, enriched } = recordedVariables(run);
  const destination = run.stages.findLast(({ stage, error }) => (stage === 'read' || stage === 'write') && !error);
  return {
    from: `run ${run.number}`,
    scope: { input, step: steps, enriched },
    answer: destination?.output,
    value: ({ stage, name }, { target, expression }) => {
      const all = [...run.values.values()];
      const own = all.find((each) => each.stage === stage && each.name === name && each.target === target);
      return own?.expression === expression && own.error === '' ? { value: own.result } : undefined;
    },
  };
}
