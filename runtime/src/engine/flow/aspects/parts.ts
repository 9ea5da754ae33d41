import { resultReaders } from '../compile/readers.ts';
import type { Part } from '../message/part.ts';
import type { FlowModel } from '../model.ts';
import type { FlowTools } from '../tools.ts';
import { aroundAspect } from './around.ts';
import { beforeAspect } from './before.ts';
import { compileFollowers, ending, placesOf } from './ending.ts';
import { aspectsOf } from './selection.ts';

/**
 * The aspects of a flow by their position among its stages (docs/specification/flow.md#order-of-stages); all empty when
 * no aspect matches.
 */
export interface AspectParts {
  /** Around the gates: for messages that these refuse or drop. */
  readonly gates: readonly Part[];
  /** Before the work, and around what is retried. */
  readonly work: readonly Part[];
  /** Does nothing: marks the position at which aspects follow the end of the flow. */
  readonly end: readonly Part[];
  /** Whether an expression reads what the flow answers, so that its integers must be exact. */
  readonly readsAnswer: boolean;
  /** Whether answers are kept for other callers, who may select other fields. */
  readonly keepsAnswers: boolean;
}

const none: AspectParts = { gates: [], work: [], end: [], readsAnswer: false, keepsAnswers: false };

export function aspectParts(model: FlowModel, tools: FlowTools): AspectParts {
  const selected = aspectsOf(model.name, tools.project);
  if (selected === undefined) return none;
  const followers = compileFollowers(selected, model, tools);
  const places = placesOf(followers);
  const { on_error: onError, on_drop: onDrop } = followers;
  const around = places.length === 0 ? [] : [ending(followers, model.name)];
  const forGates = { after: [], on_error: onError, on_drop: onDrop };
  return {
    gates: onError.length + onDrop.length === 0 ? [] : [ending(forGates, model.name)],
    work: [
      ...around,
      ...selected.before.map((each) => beforeAspect(each, model, tools)),
      ...selected.around.map((each) => aroundAspect(each, model, tools)),
    ],
    end: places.length === 0 ? [] : [{ stage: undefined, name: '', title: 'aspects', step: undefined, places }],
    readsAnswer: resultReaders(
      selected.after.map(({ values }) => values),
      tools,
    ),
    keepsAnswers: selected.around.some(({ values }) => values.cache !== undefined),
  };
}
