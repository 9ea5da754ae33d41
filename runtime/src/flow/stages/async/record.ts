import { toJson } from '@svc/protocol/cel';
import type { Outcome } from '../../../contracts/outcome.ts';
import { disclosed } from '../../../errors/disclose.ts';
import type { Failure } from '../../../errors/failure.ts';

/** What is told of a job (supplement-flows 2.15). */
export interface JobRecord {
  readonly job_id: string;
  readonly flow: string;
  readonly status: 'pending' | 'completed' | 'failed';
  readonly result?: unknown;
  readonly error?: string;
}

/** A record as it is stored: with what tells apart who asked for the job, when that was a caller who is known. */
export interface StoredJob extends JobRecord {
  readonly caller?: string;
}

export const recordKey = (id: string) => `job:${id}`;

/** The entry that is there as long as a process works on the job. */
export const workKey = (id: string) => `job-work:${id}`;

/** The record of a job whose flow has ended. */
export function completed(job: StoredJob, outcome: Outcome): StoredJob {
  const result = outcome.kind === 'reply' ? toJson(outcome.value) : { status: 'dropped', reason: outcome.reason };
  return { ...job, status: 'completed', result };
}

export function failed(job: StoredJob, failure: Failure, production: boolean): StoredJob {
  return { ...job, status: 'failed', error: disclosed(failure, production) ?? 'Internal Server Error' };
}

/** The record of a job whose process ended before it. It is not run again (decisions 18). */
export function interrupted(job: StoredJob): StoredJob {
  return { ...job, status: 'failed', error: 'interrupted' };
}
