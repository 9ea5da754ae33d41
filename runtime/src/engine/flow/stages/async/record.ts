import { toJson } from '@svc/protocol/cel';
import type { Outcome } from '../../../../foundation/contracts/outcome.ts';
import { failureOf } from '../../../../foundation/errors/answered.ts';
import { disclosed } from '../../../../foundation/errors/disclose.ts';
import type { Failure } from '../../../../foundation/errors/failure.ts';

/** The public record of a job (docs/specification/state.md#jobs). */
export interface JobRecord {
  readonly job_id: string;
  readonly flow: string;
  readonly status: 'pending' | 'completed' | 'failed';
  readonly result?: unknown;
  readonly error?: string;
}

/** A record as it is stored: with the identity of the caller that requested the job, when it is known. */
export interface StoredJob extends JobRecord {
  readonly caller?: string;
}

export const recordKey = (id: string) => `job:${id}`;

/** The entry that exists as long as a process works on the job. */
export const workKey = (id: string) => `job-work:${id}`;

/** The record of a job whose flow has ended. */
export function completed(job: StoredJob, outcome: Outcome): StoredJob {
  if (outcome.kind === 'drop')
    return { ...job, status: 'completed', result: { status: 'dropped', reason: outcome.reason } };
  const result = toJson(outcome.value);
  if (outcome.kind === 'failed') return { ...job, status: 'failed', error: failureOf(outcome).message, result };
  return { ...job, status: 'completed', result };
}

export function failed(job: StoredJob, failure: Failure, production: boolean): StoredJob {
  return { ...job, status: 'failed', error: disclosed(failure, production) ?? 'Internal Server Error' };
}

/** The record of a job whose process ended before it. It is not run again. */
export function interrupted(job: StoredJob): StoredJob {
  return { ...job, status: 'failed', error: 'interrupted' };
}
