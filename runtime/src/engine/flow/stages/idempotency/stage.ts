import { randomBytes } from 'node:crypto';
import type { Answered, Outcome } from '../../../../foundation/contracts/outcome.ts';
import type { WatchedStage } from '../../../../foundation/contracts/probe.ts';
import { asFailure } from '../../../../foundation/errors/classify.ts';
import { Failure } from '../../../../foundation/errors/failure.ts';
import { mustNotRepeat } from '../../compile/repeatable.ts';
import { type Reservation, Reservations } from '../../hold/reservation.ts';
import { keyValue } from '../../hold/sync-key.ts';
import type { Frame } from '../../message/frame.ts';
import type { Announce, Part, RuleWatch, Run } from '../../message/part.ts';
import { watched } from '../../message/watched.ts';
import { whenDone } from '../../message/when-done.ts';
import type { FlowModel } from '../../model.ts';
import { type FlowTools, storageOf } from '../../tools.ts';
import { Answers } from './answers.ts';
import { answeredText, readEntry, replayed, reservedText, unknownText } from './entry.ts';
import { entryKey, requestHash } from './request.ts';

/** Milliseconds between checks of a request that is being carried out. */
const [firstPause, longestPause] = [10, 250];

/** A request that is carried out now. */
interface Begun {
  readonly reservation: Reservation;
  readonly hash: string;
}

/** A request without a key, a request to carry out, or the answer to one that was carried out before. */
type Entrance = undefined | Begun | Answered;

/**
 * Carries requests with the same key out once. The first one reserves its key before it runs, so that those that come
 * meanwhile wait for it. A failure and a drop release the key, except for a failure after which it is unknown what was
 * written.
 */
export function idempotency(model: FlowModel, tools: FlowTools): Part[] {
  const { idempotency: block } = model.values;
  if (!block) return [];
  const { name: flow } = model;
  const { storage: cache, wait: longestWait } = block;
  const { clock } = tools.services;
  const storage = storageOf(cache, tools);
  const reservations = new Reservations(storage, clock);
  const key = tools.expression(block.key, 'idempotency: key');
  const entryOf = entryKey(model);
  const hashOf = requestHash(model);
  const isFinal = mustNotRepeat(model);
  const answers = new Answers(model, storage, block, tools);
  const place = { flow, stage: 'idempotency' };
  const placed = (error: unknown) => asFailure(error, place);

  /** Reserves the key, or reads its entry: both in one turn. Undefined when neither has given a result yet. */
  const look = (begun: Begun): Entrance | Promise<Entrance> => {
    const { reservation, hash } = begun;
    const found = (isTaken: boolean, text: string | undefined): Entrance => {
      if (isTaken && (text === undefined || text === reservation.text)) return begun;
      // A dry run stores nothing, and reads what is stored.
      if (isTaken) reservation.end();
      if (text === undefined) return undefined;
      const entry = readEntry(text);
      if (entry.hash !== hash) throw anotherRequest(flow);
      if ('unknown' in entry) throw unsure(flow);
      return 'holder' in entry ? undefined : replayed(entry);
    };
    const taken = reservation.take();
    const text = storage.get(reservation.key);
    if (!(taken instanceof Promise) && !(text instanceof Promise)) return found(taken, text);
    return Promise.all([taken, text]).then(
      ([isTaken, late]) => found(isTaken, late),
      (error: unknown) => {
        // The store may have done it although its answer was lost.
        reservation.release();
        throw error;
      },
    );
  };

  const wait = async (frame: Frame, begun: Begun): Promise<Entrance> => {
    const began = clock.elapsed();
    for (let pause = firstPause; ; pause = Math.min(2 * pause, longestPause)) {
      const left = longestWait - (clock.elapsed() - began);
      if (left <= 0) throw stillRunning(flow);
      await clock.sleep(Math.min(pause, left), frame.signal);
      const entrance = await look(begun);
      if (entrance !== undefined) return entrance;
    }
  };

  const enterWith = (frame: Frame, name: string | undefined): Entrance | Promise<Entrance> => {
    if (name === undefined) return undefined;
    const hash = hashOf(frame);
    const begun = { reservation: reservations.of(name, reservedText(hash, randomBytes(16).toString('hex'))), hash };
    return whenDone(look(begun), (entrance) => entrance ?? wait(frame, begun));
  };

  const enter = (frame: Frame, watch?: RuleWatch): Entrance | Promise<Entrance> => {
    try {
      const evaluate = () => keyValue(key, frame);
      const value = watch === undefined ? evaluate() : watched(watch, 0, frame, evaluate);
      const entrance = whenDone(value, (result) => enterWith(frame, entryOf(result)));
      if (!(entrance instanceof Promise)) return entrance;
      return entrance.catch((error: unknown) => {
        throw placed(error);
      });
    } catch (error) {
      throw placed(error);
    }
  };

  const carryOut = (next: Run, frame: Frame, entrance: Entrance): Outcome | Promise<Outcome> => {
    if (entrance === undefined) return next(frame);
    if ('kind' in entrance) return entrance;
    const { reservation, hash } = entrance;
    const failed = (error: unknown): never | Promise<never> => {
      if (!isFinal(asFailure(error))) {
        reservation.release();
        throw error;
      }
      return whenDone(answers.keep(reservation, unknownText(hash), undefined), () => {
        throw error;
      });
    };
    const succeeded = (outcome: Outcome): Outcome | Promise<Outcome> => {
      if (outcome.kind !== 'drop') return answers.keep(reservation, answeredText(hash, outcome), outcome);
      reservation.release();
      return outcome;
    };
    let outcome: Outcome | Promise<Outcome>;
    try {
      outcome = next(frame);
    } catch (error) {
      return failed(error);
    }
    return outcome instanceof Promise ? outcome.then(succeeded, failed) : succeeded(outcome);
  };

  const stage: WatchedStage = {
    stage: 'idempotency',
    name: '',
    rules: [{ index: 0, target: 'key', expression: key.program.source }],
  };
  return [
    {
      title: 'idempotency',
      around: (next) => (frame) => whenDone(enter(frame), (entrance) => carryOut(next, frame, entrance)),
      places: [stage],
      split: (announce: Announce) => (next: Run) => async (frame: Frame) => {
        const entrance = (await announce(stage, frame, (watch) => enter(frame, watch))) as Entrance;
        return carryOut(next, frame, entrance);
      },
    },
  ];
}

function anotherRequest(flow: string): Failure {
  return new Failure(
    'idempotency_mismatch',
    `flow "${flow}": the idempotency key was used before, for another request or by another caller`,
  );
}

function unsure(flow: string): Failure {
  return new Failure(
    'outcome_unknown',
    `flow "${flow}": it is unknown whether the request with this idempotency key was carried out, so it is not carried out again; check, and send it with another key if it was not`,
    { retriable: false },
  );
}

function stillRunning(flow: string): Failure {
  return new Failure(
    'idempotency_conflict',
    `flow "${flow}": an earlier request with the same idempotency key is still being carried out`,
    { retryAfter: 1000 },
  );
}
