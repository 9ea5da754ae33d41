import type { Drop, Outcome } from '../../../../foundation/contracts/outcome.ts';
import type { WatchedStage } from '../../../../foundation/contracts/probe.ts';
import { asFailure } from '../../../../foundation/errors/classify.ts';
import type { SyncStore } from '../../../../platform/sync/store.ts';
import { syncStoreOf } from '../../../../platform/sync/stores.ts';
import type { Alongside } from '../../hold/holding.ts';
import { compileSyncKey } from '../../hold/sync-key.ts';
import type { Frame } from '../../message/frame.ts';
import type { AroundPart, Run } from '../../message/part.ts';
import { behind, numbered, watched } from '../../message/watched.ts';
import type { FlowModel } from '../../model.ts';
import type { FlowTools } from '../../tools.ts';
import { Ahead } from './ahead.ts';
import { numberOf } from './number.ts';

/** A message that is compared: its own number, and the number that was kept before. */
interface Compared {
  readonly key: string;
  readonly sequence: bigint;
  readonly stored: bigint | undefined;
}

/** The guard of a flow, and its requests that are sent with the lock around it. */
export interface SequenceGuard {
  readonly parts: readonly AroundPart[];
  readonly alongside: Alongside | undefined;
}

/** Rejects messages that are not newer than what was handled already (docs/specification/state.md#sequence-guards). */
export function sequenceGuard(model: FlowModel, tools: FlowTools): SequenceGuard {
  const { sequence_guard: block } = model.values;
  if (!block) return { parts: [], alongside: undefined };
  const { name: flow } = model;
  const { log } = tools.services;
  const store = syncStoreOf(block.storage, tools.services, `sequence_guard of flow "${flow}"`);
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
    block: 'sequence_guard',
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
  const read = async (frame: Frame) => compare(key.of(frame), numberOf(sequence.evaluateIfPresent(frame)));
  /** The number is kept once the flow has succeeded; that it could not be kept does not undo what the flow did. */
  const keep = async ({ key: named, sequence: own }: Compared): Promise<void> => {
    try {
      await store.raiseSequence(named, own, block.ttl);
    } catch (error) {
      const { code, message } = asFailure(error);
      log.error('the number of a message was not kept', { flow, key: named, code, error: message });
    }
  };
  const decide = async (next: Run, frame: Frame, compared: Compared, ahead?: Ahead<Compared>): Promise<Outcome> => {
    if (isOlder(compared)) return older(compared);
    const outcome = await next(frame);
    if (outcome.kind === 'drop' || frame.failure !== undefined) return outcome;
    if (ahead === undefined) await keep(compared);
    else ahead.later(frame, () => keep(compared));
    return outcome;
  };

  const ahead = sharesTurns(model, store, tools) ? new Ahead(read) : undefined;
  const parts: readonly AroundPart[] = [
    {
      title: 'sequence_guard',
      around: (next) => async (frame) => decide(next, frame, await (ahead?.answer(frame) ?? read(frame)), ahead),
      places: [place],
      split: (announce) => (next) => async (frame) => {
        // What is announced is the decision, so that a message that is turned away is seen.
        const decided = (await announce(place, frame, async (watch) => {
          const named = await key.watched(frame, watch);
          const own = await watched(behind(watch, key.rules.length), 0, frame, () =>
            numberOf(sequence.evaluateIfPresent(frame)),
          );
          const compared = await compare(named, own);
          return isOlder(compared) ? older(compared) : compared;
        })) as Compared | Drop;
        return 'kind' in decided ? decided : decide(next, frame, decided);
      },
    },
  ];
  return { parts, alongside: ahead };
}

function isOlder({ sequence, stored }: Compared): boolean {
  return stored !== undefined && sequence <= stored;
}

/**
 * Whether lock and guard of a flow ask one store, and no stage between them takes time: otherwise what was read with
 * the lock would be outdated by then, if others do not take the same lock.
 */
function sharesTurns({ name, values }: FlowModel, store: SyncStore, { services }: FlowTools): boolean {
  const { lock, semaphore, coordinate } = values;
  if (!lock || semaphore || coordinate?.wait || store.processLocal) return false;
  return syncStoreOf(lock.storage, services, `lock of flow "${name}"`) === store;
}
