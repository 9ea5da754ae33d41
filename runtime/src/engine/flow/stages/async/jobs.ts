import { randomBytes } from 'node:crypto';
import type { PlanServices } from '../../../../foundation/contracts/plan.ts';
import type { Storage } from '../../../../foundation/contracts/storage.ts';
import { asFailure } from '../../../../foundation/errors/classify.ts';
import { type Reservation, Reservations, reservationLife } from '../../hold/reservation.ts';
import { whenDone } from '../../message/when-done.ts';
import { recordKey, type StoredJob, workKey } from './record.ts';

/** Milliseconds between attempts to store the result of a job while the store is unavailable. */
const pause = 1000;

/** A job that was accepted and is worked on by this process. */
export interface Job {
  readonly record: StoredJob;
  /** The record as it is stored. */
  readonly text: string;
  readonly work: Reservation;
}

/** The jobs of one flow. */
export class Jobs {
  readonly #flow: string;
  readonly #storage: Storage;
  readonly #ttl: number;
  readonly #reservations: Reservations;
  readonly #services: Pick<PlanServices, 'clock' | 'log'>;

  constructor(flow: string, storage: Storage, ttl: number, services: Pick<PlanServices, 'clock' | 'log'>) {
    this.#flow = flow;
    this.#storage = storage;
    this.#ttl = ttl;
    this.#reservations = new Reservations(storage, services.clock);
    this.#services = services;
  }

  /**
   * Stores in one turn that a job exists and that this process works on it. `caller` identifies who requested it; empty
   * for an anonymous caller. Throws a Failure when the store is unavailable: then the job was not accepted.
   */
  begin(caller: string): Job | Promise<Job> {
    const id = randomBytes(16).toString('hex');
    const pending = { job_id: id, flow: this.#flow, status: 'pending' } as const;
    const record: StoredJob = caller === '' ? pending : { ...pending, caller };
    const text = JSON.stringify(record);
    // It also contains the record, for a job that takes longer than its record is kept.
    const work = this.#reservations.of(workKey(id), text);
    // A reader that finds a pending record must also find its worker entry.
    const taken = work.take();
    // Stored like the worker entry: the record of a running job is never evicted.
    const stored = this.#storage.setIfAbsent(recordKey(id), text, this.#ttl);
    const job = { record, text, work };
    if (!(taken instanceof Promise) && !(stored instanceof Promise)) return job;
    return Promise.all([taken, stored]).then(
      () => job,
      (error: unknown) => {
        work.release();
        throw error;
      },
    );
  }

  /** Stores the result of a job. Never rejects: an unavailable store is retried for a while. */
  async end({ record, text, work }: Job, ended: StoredJob): Promise<void> {
    const { clock } = this.#services;
    const began = clock.elapsed();
    const key = recordKey(record.job_id);
    const outcome = JSON.stringify(ended);
    for (;;)
      try {
        // A job that took longer than its record was kept gets a new record.
        const isStored = await whenDone(
          this.#storage.replace(key, text, outcome, this.#ttl),
          (isDone) => isDone || this.#storage.setIfAbsent(key, outcome, this.#ttl),
        );
        work.release();
        if (!isStored) this.#warn('a job ended after it had been reported as interrupted', ended);
        return;
      } catch (error) {
        if (clock.elapsed() - began >= reservationLife) {
          work.end();
          return this.#warn('the result of a job cannot be stored', ended, asFailure(error).message);
        }
        await clock.sleep(pause);
      }
  }

  #warn(message: string, { job_id: job, status }: StoredJob, error?: string): void {
    this.#services.log.warn(message, { flow: this.#flow, job, status, ...(error === undefined ? {} : { error }) });
  }
}
