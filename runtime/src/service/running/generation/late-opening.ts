import type { Values } from '@svc/protocol/schema';
import type { everyConnector } from '../../../connectors/core/spec.ts';
import type { Connector, ConnectorServices, Retrying } from '../../../foundation/contracts/connector.ts';
import type { PlannedConnector } from '../../../foundation/contracts/plan.ts';
import type { Storage } from '../../../foundation/contracts/storage.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import type { FailureCode } from '../../../foundation/errors/failures.ts';
import type { Clock } from '../../../foundation/observe/clock.ts';
import type { Log } from '../../../foundation/observe/log.ts';
import { errorText } from '../../../foundation/observe/mask.ts';
import { type Backoff, backoffDelay } from '../../../platform/net/backoff.ts';
import { fired } from '../../../platform/net/fired.ts';
import { isLacking, isUnavailable } from '../health/reach.ts';
import { guarded, guardedTarget, overlaid } from './guarded.ts';

/** Milliseconds in which the peer of an optional connector is waited for before the service continues without it. */
const waitedFor = 5_000;
/** Milliseconds after which a further attempt to open a connector is ended. */
const longestAttempt = 60_000;
/** How it is tried where the connector says nothing of its own. */
const standard: Retrying = { backoff: { delay: 1_000, maxDelay: 30_000 }, mostAttempts: Number.POSITIVE_INFINITY };

type Open = (signal: AbortSignal) => Promise<void>;

/** Why a connector is not open, and since when. */
interface Absence {
  readonly since: string;
  reason: string;
}

/**
 * An optional connector whose peer may be away when the service starts: the service continues without it, what asks it fails
 * at once, and it is opened when its peer is there.
 */
export class LateOpening {
  /** The connector as the service has it. */
  readonly connector: Connector;
  readonly #behind: Connector;
  readonly #clock: Clock;
  readonly #log: Log;
  #ended = new AbortController();
  #absence: Absence | undefined;
  /** What is tried; undefined while nothing is. */
  #open: Open | undefined;
  #trying: Promise<void> = Promise.resolve();
  /** Its source takes messages as soon as it is open. */
  #takes = false;

  constructor(behind: Connector, clock: Clock, log: Log) {
    this.#behind = behind;
    this.#clock = clock;
    this.#log = log;
    this.connector = this.#seen(behind);
  }

  #seen(behind: Connector): Connector {
    const { source, target, storage } = behind;
    const refuse = (code: FailureCode) => () => this.#refuse(code);
    const own: Partial<Connector> = {
      open: (signal) => this.#begin((ended) => behind.open(ended), signal),
      close: (cut) => this.#close((limit) => behind.close(limit), cut),
      check: async (signal) => {
        this.#refuse('connector_refused');
        return behind.check?.(signal);
      },
      ...(behind.openTarget && {
        openTarget: (signal: AbortSignal) => this.#begin(async (ended) => behind.openTarget?.(ended), signal),
      }),
      ...(behind.closeSource && {
        closeSource: (cut?: AbortSignal) => this.#close(async (limit) => behind.closeSource?.(limit), cut),
      }),
      ...(source && {
        source: overlaid(source, { start: () => this.#start(), stop: (cut?: AbortSignal) => this.#stop(cut) }),
      }),
      ...(target && { target: guardedTarget(target, refuse('connector_refused')) }),
      ...(storage && { storage: guarded<Storage>(storage, refuse('store_unavailable'), ['size']) }),
    };
    return overlaid(behind, own);
  }

  #refuse(code: FailureCode): void {
    if (this.#absence === undefined) return;
    const { name } = this.#behind;
    throw new Failure(
      code,
      `connector "${name}" is unavailable since ${this.#absence.since}: ${this.#absence.reason}`,
      {
        at: { connector: name },
      },
    );
  }

  /** Opens it, or continues without it when its peer is unavailable. Rejects with what is wrong otherwise. */
  async #begin(open: Open, signal: AbortSignal): Promise<void> {
    if (this.#ended.signal.aborted) this.#ended = new AbortController();
    const { signal: ended } = this.#ended;
    if (this.#open !== undefined) {
      // It is unavailable, and tried already.
      this.#open = open;
      return;
    }
    const opening = open(ended);
    const waiting = new AbortController();
    const late = this.#clock.sleep(waitedFor, AbortSignal.any([signal, waiting.signal])).then(
      () => 'late' as const,
      () => 'late' as const,
    );
    try {
      if ((await Promise.race([opening, late])) !== 'late') return;
      this.#miss(`no answer within ${waitedFor / 1_000} s`);
      this.#open = open;
      this.#trying = this.#continue(ended, opening);
    } catch (error) {
      if (!isUnavailable(error)) this.#tellLack(error);
      this.#miss(errorText(error));
      this.#open = open;
      this.#trying = this.#continue(ended);
    } finally {
      waiting.abort();
    }
  }

  /** Says aloud what the peer lacks: it may never be made. Throws what ends the start. */
  #tellLack(error: unknown): void {
    if (!isLacking(error)) throw error;
    this.#log.error('the optional connector cannot be used, and is tried again', { reason: errorText(error) });
  }

  #miss(reason: string): void {
    this.#absence = { since: new Date(this.#clock.now()).toISOString(), reason };
  }

  /** Tries until it is open; `opening` is an attempt that is under way. Never rejects. */
  async #continue(ended: AbortSignal, opening?: Promise<void>): Promise<void> {
    const { backoff, mostAttempts } = this.#behind.reconnecting ?? standard;
    const growing: Backoff = { kind: 'exponential', ...backoff, jitter: true };
    let current = opening;
    for (let attempt = 1; attempt <= mostAttempts; attempt++) {
      try {
        if (current === undefined) {
          await this.#clock.sleep(backoffDelay(growing, attempt), ended);
          current = this.#open?.(AbortSignal.any([ended, AbortSignal.timeout(longestAttempt)]));
        }
        await current;
        if (ended.aborted) return;
        await this.#arrived(attempt);
        return;
      } catch (error) {
        if (ended.aborted) return;
        current = undefined;
        this.#still(errorText(error), attempt);
      }
    }
    const since = new Date(this.#clock.now()).toISOString();
    if (this.#absence !== undefined) this.#absence.reason += `; no further attempt is made since ${since}`;
    this.#log.error('the connector remains away: no further attempt is made', { attempts: mostAttempts });
  }

  /** What is said once is not said again with every attempt. */
  #still(reason: string, attempt: number): void {
    const absence = this.#absence;
    if (absence === undefined) return;
    if (absence.reason !== reason && attempt > 1) this.#log.warn('the connector cannot be opened', { reason });
    else this.#log.debug('the connector cannot be opened', { reason, attempt });
    absence.reason = reason;
  }

  async #arrived(attempts: number): Promise<void> {
    if (this.#takes) await this.#behind.source?.start();
    this.#absence = undefined;
    this.#open = undefined;
    this.#log.info('the connector is open: its peer is there', { attempts });
  }

  async #start(): Promise<void> {
    this.#takes = true;
    if (this.#absence === undefined) await this.#behind.source?.start();
  }

  async #stop(cut?: AbortSignal): Promise<void> {
    this.#takes = false;
    await this.#behind.source?.stop(cut);
  }

  /** Ends the attempts, and closes what is open. */
  async #close(close: (cut?: AbortSignal) => Promise<void>, cut?: AbortSignal): Promise<void> {
    this.#ended.abort(new Failure('cancelled', 'it is closed'));
    await Promise.race([this.#trying, fired(cut)]);
    this.#absence = undefined;
    this.#open = undefined;
    await close(cut);
  }
}

/** The connector as the service has it: one that is required is what it was made as. */
export function heldAs(
  planned: PlannedConnector,
  made: Connector,
  { clock, log }: Pick<ConnectorServices, 'clock' | 'log'>,
): Connector {
  return isOptional(planned) ? new LateOpening(made, clock, log).connector : made;
}

/** Whether the service is ready without it. */
export function isOptional({ declaration }: PlannedConnector): boolean {
  const { health } = declaration.values as unknown as Values<typeof everyConnector>;
  return health === 'optional';
}
