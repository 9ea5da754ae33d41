import { randomBytes } from 'node:crypto';
import type { PlanServices } from '../../../contracts/plan.ts';
import type { Storage } from '../../../contracts/storage.ts';
import { asFailure } from '../../../errors/classify.ts';
import { type Reservation, Reservations, reservationLife } from '../../reservation.ts';
import { whenDone } from '../../when-done.ts';
import { recordKey, type StoredJob, workKey } from './record.ts';

/** Milliseconds between attempts to store what became of a job while the store is away. */
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
   * Stores that there is a job, and that this process works on it, in one turn. `caller` tells apart who asked for it;
   * empty for nobody. Throws a Failure when the store is away: nothing was promised then.
   */
  begin(caller: string): Job | Promise<Job> {
    const id = randomBytes(16).toString('hex');
    const pending = { job_id: id, flow: this.#flow, status: 'pending' } as const;
    const record: StoredJob = caller === '' ? pending : { ...pending, caller };
    const text = JSON.stringify(record);
    // It holds the record too, for a job that takes longer than its record is kept.
    const work = this.#reservations.of(workKey(id), text);
    // Whoever finds a record that is pending must find somebody who works on it.
    const taken = work.take();
    // Stored like the entry of who works on it: a job that runs is not forgotten for want of room.
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

  /** Stores what became of a job. Never rejects: a store that is away is asked again for a while. */
  async end({ record, text, work }: Job, ended: StoredJob): Promise<void> {
    const { clock } = this.#services;
    const began = clock.elapsed();
    const key = recordKey(record.job_id);
    const said = JSON.stringify(ended);
    for (;;)
      try {
        // One that took longer than its record was kept is told again.
        const isTold = await whenDone(
          this.#storage.replace(key, text, said, this.#ttl),
          (isDone) => isDone || this.#storage.setIfAbsent(key, said, this.#ttl),
        );
        work.release();
        if (!isTold) this.#warn('a job ended after it had been told as interrupted', ended);
        return;
      } catch (error) {
        if (clock.elapsed() - began >= reservationLife) {
          work.end();
          return this.#warn('what became of a job cannot be stored', ended, asFailure(error).message);
        }
        await clock.sleep(pause);
      }
  }

  #warn(message: string, { job_id: job, status }: StoredJob, error?: string): void {
    this.#services.log.warn(message, { flow: this.#flow, job, status, ...(error === undefined ? {} : { error }) });
  }
}
