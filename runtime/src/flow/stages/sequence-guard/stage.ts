import { asFailure } from '../../../errors/classify.ts';
import type { WatchedStage } from '../../../plan/plan.ts';
import { syncStoreOf } from '../../../sync/stores.ts';
import type { Frame } from '../../frame.ts';
import type { FlowModel } from '../../model.ts';
import type { Drop, Outcome } from '../../outcome.ts';
import type { AroundPart, Run } from '../../part.ts';
import { compileSyncKey } from '../../sync-key.ts';
import type { FlowTools } from '../../tools.ts';
import { behind, numbered, watched } from '../../watched.ts';
import { numberOf } from './number.ts';

/** A message that is compared: what it says about itself, and the number that was kept before. */
interface Compared {
  readonly key: string;
  readonly sequence: bigint;
  readonly stored: bigint | undefined;
}

/** Turns away messages that are not newer than what was handled already (supplement-flows 2.12). */
export function sequenceGuard(model: FlowModel, tools: FlowTools): AroundPart[] {
  const { sequence_guard: block } = model.values;
  if (!block) return [];
  const { name: flow } = model;
  const { log } = tools.services;
  const store = syncStoreOf(block.storage, tools.services);
  const key = compileSyncKey(block.key, 'sequence_guard', tools);
  const sequence = tools.expression(block.sequence, 'sequence_guard: sequence');
  const place: WatchedStage = {
    stage: 'sequence_guard',
    name: '',
    rules: numbered([...key.rules, { target: 'sequence', expression: sequence.program.source }]),
  };

  const older = ({ key: named, sequence: own, stored }: Compared): Drop => ({
    kind: 'drop',
    reason: 'sequence_older',
    policy: block.on_older,
    expression: sequence.program.source,
    values: () => ({ key: named, sequence: own, stored }),
    messageId: '',
  });
  const compare = async (named: string, own: bigint): Promise<Compared> => ({
    key: named,
    sequence: own,
    stored: await store.sequence(named),
  });
  /** The number is kept once the flow has succeeded; that it could not be kept does not undo what the flow did. */
  const keep = async (frame: Frame, outcome: Outcome, { key: named, sequence: own }: Compared): Promise<Outcome> => {
    if (outcome.kind === 'drop' || frame.failure !== undefined) return outcome;
    try {
      await store.raiseSequence(named, own, block.ttl);
    } catch (error) {
      const { code, message } = asFailure(error);
      log.error('the number of a message was not kept', { flow, key: named, code, error: message });
    }
    return outcome;
  };
  const decide = async (next: Run, frame: Frame, compared: Compared): Promise<Outcome> => {
    const { sequence: own, stored } = compared;
    if (stored !== undefined && own <= stored) return older(compared);
    return keep(frame, await next(frame), compared);
  };

  return [
    {
      title: 'sequence_guard',
      around: (next) => async (frame) =>
        decide(next, frame, await compare(key.of(frame), numberOf(sequence.evaluateIfPresent(frame)))),
      places: [place],
      split: (announce) => (next) => async (frame) => {
        const compared = (await announce(place, frame, async (watch) => {
          const named = await key.watched(frame, watch);
          const own = await watched(behind(watch, key.rules.length), 0, frame, () =>
            numberOf(sequence.evaluateIfPresent(frame)),
          );
          return compare(named, own);
        })) as Compared;
        return decide(next, frame, compared);
      },
    },
  ];
}
