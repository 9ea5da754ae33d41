import type { Outcome } from '../../../foundation/contracts/outcome.ts';
import type { WatchedStage } from '../../../foundation/contracts/probe.ts';
import { asFailure } from '../../../foundation/errors/classify.ts';
import type { Failure } from '../../../foundation/errors/failure.ts';
import { Lease } from '../../../platform/sync/lease.ts';
import type { Eventually } from '../../../platform/sync/store.ts';
import type { Frame } from '../message/frame.ts';
import type { AroundPart, Run, StageName } from '../message/part.ts';
import { whenDone } from '../message/when-done.ts';
import type { FlowTools } from '../tools.ts';
import type { SyncKey } from './sync-key.ts';

/** Requests of another stage to the same store in the turns in which something is taken and released. */
export interface Alongside {
  /** Sends the request; called in the turn of the first attempt, after it. Never throws. */
  begin(frame: Frame): void;
  /** The answer is outdated: the first attempt did not succeed. */
  forget(frame: Frame): void;
  /** Does its work before the release, in the same turn. Never rejects. */
  end(frame: Frame): Eventually<void>;
}

/** Something that an execution has while the rest of its flow runs. Times are milliseconds. */
export interface Holding<T> {
  readonly stage: StageName;
  /** Its name in messages. */
  readonly what: Lease['what'];
  readonly flow: string;
  readonly key: SyncKey;
  /** How long it lasts after its last extension. */
  readonly life: number;
  /** Longest wait for it; 0 asks once. */
  readonly timeout: number;
  /** Between two attempts. */
  readonly retry: number;
  /** Tries once; undefined while others hold it. */
  readonly take: (key: string) => Eventually<T | undefined>;
  readonly extend: (key: string, taken: T) => Eventually<boolean>;
  /** False when it was no longer held. */
  readonly giveBack: (key: string, taken: T) => Eventually<boolean>;
  /** Makes what was taken readable; returns a function that restores the previous state. */
  readonly show?: (frame: Frame, taken: T) => () => void;
  readonly refused: (key: string) => Failure;
  readonly alongside?: Alongside | undefined;
  readonly counts: {
    readonly taken: (key: string, seconds: number) => void;
    readonly gone: (key: string) => void;
    readonly released: () => void;
    readonly refused: () => void;
    readonly lost: () => void;
  };
}

/**
 * Takes something before the rest of a flow and releases it in every outcome. When the store and the rest of the flow
 * are synchronous, so is this.
 */
export function holdingPart<T>(holding: Holding<T>, tools: FlowTools): AroundPart {
  const { stage, key } = holding;
  const place: WatchedStage = { stage, name: '', rules: key.rules };
  const keeper = new Keeper(holding, tools);
  return {
    title: stage,
    around: (next) => (frame) => {
      const name = key.of(frame);
      return whenDone(keeper.take(name, frame, holding.alongside), (held) => keeper.within(held, frame, next));
    },
    places: [place],
    split: (announce) => (next) => (frame) => {
      const taking = announce(place, frame, (watch) =>
        // An observer sees the other stage ask in its own place.
        whenDone(key.watched(frame, watch), (name) => keeper.take(name, frame, undefined)),
      );
      return whenDone(taking as Eventually<Held<T>>, (held) => keeper.within(held, frame, next));
    },
  };
}

interface Held<T> {
  readonly key: string;
  readonly taken: T;
  readonly lease: Lease;
}

class Keeper<T> {
  readonly #holding: Holding<T>;
  readonly #services: FlowTools['services'];

  constructor(holding: Holding<T>, { services }: FlowTools) {
    this.#holding = holding;
    this.#services = services;
  }

  take(key: string, frame: Frame, alongside: Alongside | undefined): Eventually<Held<T>> {
    const { flow, stage, take } = this.#holding;
    const askedAt = this.#services.clock.elapsed();
    const taken = take(key);
    alongside?.begin(frame);
    if (taken !== undefined && !(taken instanceof Promise)) return this.#held(key, taken, askedAt, askedAt);
    return this.#wait(key, frame, askedAt, taken).catch((error: unknown) => {
      throw asFailure(error, { flow, stage });
    });
  }

  within({ key, taken, lease }: Held<T>, frame: Frame, next: Run): Outcome | Promise<Outcome> {
    const { leases } = frame;
    const { show, alongside } = this.#holding;
    const hide = show?.(frame, taken);
    frame.leases = [...leases, lease];
    const leave = (): Eventually<void> => {
      frame.leases = leases;
      hide?.();
      const ended = alongside?.end(frame);
      const returned = this.#giveBack(key, taken, lease);
      return ended instanceof Promise ? ended.then(() => returned) : returned;
    };
    const fail = (error: unknown) =>
      whenDone<void, never>(leave(), () => {
        throw error;
      });
    let outcome: Outcome | Promise<Outcome>;
    try {
      outcome = next(frame);
    } catch (error) {
      return fail(error);
    }
    if (!(outcome instanceof Promise)) return whenDone(leave(), () => outcome);
    lease.keep();
    return outcome.then((settled) => whenDone(leave(), () => settled), fail);
  }

  /** Tries again until it is taken, the wait times out, or the message is cancelled. */
  async #wait(
    key: string,
    frame: Frame,
    began: number,
    first: T | undefined | Promise<T | undefined>,
  ): Promise<Held<T>> {
    const { take, timeout, retry, refused, alongside, counts } = this.#holding;
    const { clock } = this.#services;
    let askedAt = began;
    let taken = await first;
    if (taken === undefined) alongside?.forget(frame);
    while (taken === undefined) {
      const left = began + timeout - clock.elapsed();
      if (left <= 0) {
        counts.refused();
        throw refused(key);
      }
      await clock.sleep(Math.min(retry, left), frame.waitSignal);
      askedAt = clock.elapsed();
      taken = await take(key);
    }
    const held = this.#held(key, taken, askedAt, began);
    const { waitSignal: signal } = frame;
    if (!signal?.aborted) return held;
    await this.#giveBack(key, taken, held.lease);
    throw signal.reason;
  }

  #held(key: string, taken: T, askedAt: number, began: number): Held<T> {
    const { what, extend, life, counts } = this.#holding;
    const { clock } = this.#services;
    counts.taken(key, (clock.elapsed() - began) / 1000);
    const lost = (reason: string) => this.#lost(key, reason);
    return {
      key,
      taken,
      lease: new Lease({ what, clock, life, askedAt, extend: () => extend(key, taken), lost }),
    };
  }

  /** Never throws: what an unavailable store keeps expires by itself. */
  #giveBack(key: string, taken: T, lease: Lease): Eventually<void> {
    const { giveBack, counts } = this.#holding;
    lease.end();
    counts.gone(key);
    const settle = (wasHeld: boolean) => {
      if (wasHeld) counts.released();
      else lease.lose('another owner may have had it');
    };
    try {
      const returned = giveBack(key, taken);
      if (!(returned instanceof Promise)) return settle(returned);
      return returned.then(settle, (error: unknown) => this.#storeFailed(key, error));
    } catch (error) {
      return this.#storeFailed(key, error);
    }
  }

  #storeFailed(key: string, error: unknown): void {
    const { what, flow, life } = this.#holding;
    const { code, message } = asFailure(error);
    const text = `a ${what} could not be released and expires by itself`;
    this.#services.log.warn(text, { flow, key, within: `${life}ms`, code, error: message });
  }

  #lost(key: string, reason: string): void {
    const { what, flow, counts } = this.#holding;
    counts.lost();
    this.#services.log.error(`a ${what} was lost while the flow ran`, { flow, key, reason });
  }
}
