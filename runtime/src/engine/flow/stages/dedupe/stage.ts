import type { Drop, Outcome } from '../../../../foundation/contracts/outcome.ts';
import { asFailure } from '../../../../foundation/errors/classify.ts';
import type { Frame } from '../../message/frame.ts';
import type { Part, Run, StepPart } from '../../message/part.ts';
import { whenDone } from '../../message/when-done.ts';
import { type FlowModel, writes } from '../../model.ts';
import type { FlowTools } from '../../tools.ts';
import { settlementOf } from '../error-handling/retry.ts';
import { type Comparison, compileComparing, whole } from './comparison.ts';
import { compilePhases, type Stored } from './phases.ts';
import { writtenFacets } from './written.ts';

/**
 * Puts the destinations between the two phases of `dedupe` (docs/specification/state.md#dedupe): before them the
 * message is compared with what was written last, after them its fingerprint is stored. From the one to the other the
 * key is reserved among all processes that use the cache, so that of equal messages that come together one is written.
 */
export function dedupe(model: FlowModel, tools: FlowTools, destination: readonly Part[]): readonly Part[] {
  const { dedupe: block, error_handling: handling } = model.values;
  if (!block || !writes(model)) return destination;
  const comparing = compileComparing(model, block, tools);
  const phases = compilePhases(model, block, tools);
  const written = writtenFacets(model);
  const writesAlways = block.facet.length > 0 && model.destinations.some(({ values }) => values.facet === undefined);

  const compare = (frame: Frame, comparison: Comparison): Drop | undefined | Promise<Drop | undefined> => {
    const held = frame.claim;
    frame.claim = undefined;
    return whenDone(phases.begin(frame, comparison, held), ({ reservation, stored }) => {
      const { key, fingerprints } = comparison;
      const changed = new Map([...fingerprints].filter(([facet, own]) => stored.get(facet) !== own));
      frame.unchanged = new Set([...fingerprints.keys()].filter((facet) => !changed.has(facet)));
      if (reservation !== undefined && changed.size > 0) {
        frame.claim = { reservation, key, changed };
        return undefined;
      }
      if (reservation !== undefined) phases.free(reservation);
      return writesAlways ? undefined : duplicate(comparison, stored);
    });
  };
  const duplicate = (comparison: Comparison, stored: Stored): Drop => ({
    kind: 'drop',
    reason: 'dedupe_match',
    block: 'dedupe',
    policy: block.on_duplicate,
    expression: block.key.source,
    values: () => comparedValues(comparison, stored),
    messageId: '',
  });
  const comparison: StepPart = {
    stage: 'dedupe',
    name: '',
    title: 'dedupe',
    rules: comparing.rules,
    step: (frame) => compare(frame, comparing.of(frame)),
    ruled: (watch) => async (frame) => compare(frame, await comparing.ofWatched(frame, watch)),
  };

  const remember: StepPart = {
    stage: undefined,
    name: '',
    title: 'dedupe',
    step: (frame) => {
      const { claim } = frame;
      frame.claim = undefined;
      return claim && phases.end(claim, written.afterSuccess(frame, claim));
    },
  };

  const giveUp = (frame: Frame, error: unknown): never | Promise<never> => {
    const { claim } = frame;
    frame.claim = undefined;
    if (claim === undefined) throw error;
    // What the flow counts as done must not be written by the next equal message.
    const isDone = handling !== undefined && settlementOf(handling, asFailure(error)) === 'ack';
    const facets = isDone ? [...claim.changed.keys()] : written.afterFailure(frame, claim);
    return whenDone<undefined, never>(phases.end(claim, facets), () => {
      throw error;
    });
  };
  const guard = (next: Run): Run => {
    return (frame) => {
      let outcome: Outcome | Promise<Outcome>;
      try {
        outcome = next(frame);
      } catch (error) {
        return giveUp(frame, error);
      }
      return outcome instanceof Promise ? outcome.catch((error: unknown) => giveUp(frame, error)) : outcome;
    };
  };

  return [
    ...destination.slice(0, -1),
    { title: 'dedupe', around: guard },
    comparison,
    ...destination.slice(-1),
    remember,
  ];
}

/** What was compared, as the reason why a message was dropped: `stored` and `new`, by facet where there are facets. */
function comparedValues({ key, fingerprints }: Comparison, stored: Stored): Readonly<Record<string, unknown>> {
  const compared = [...fingerprints].map(([facet, own]) => [facet, { stored: stored.get(facet), new: own }] as const);
  const [first] = compared;
  return first?.[0] === whole ? { key, ...first[1] } : { key, facet: Object.fromEntries(compared) };
}
