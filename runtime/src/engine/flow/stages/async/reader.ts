import type { Message } from '../../../../foundation/contracts/message.ts';
import type { Outcome } from '../../../../foundation/contracts/outcome.ts';
import type { Storage } from '../../../../foundation/contracts/storage.ts';
import { Failure } from '../../../../foundation/errors/failure.ts';
import { callerOf } from '../../../../platform/identity/caller.ts';
import { interrupted, type JobRecord, recordKey, type StoredJob, workKey } from './record.ts';

/** Where the jobs of a flow are kept. */
export interface JobPlace {
  readonly storage: Storage;
  /** Milliseconds. */
  readonly ttl: number;
}

/**
 * Answers `GET /jobs/:job_id`. A job that was requested by a known caller is shown to that caller alone. Throws
 * `not_found` for jobs that are unknown or expired.
 */
export function jobReader(places: ReadonlyMap<string, JobPlace>): (message: Message) => Promise<Outcome> {
  const storages = [...new Set([...places.values()].map(({ storage }) => storage))];
  const find = async (id: string) => {
    // Read in this order, a pending record without a worker entry belongs to a job that no process will end.
    const read = storages.map((storage) => [storage.get(workKey(id)), storage.get(recordKey(id))] as const);
    const found = await Promise.all(read.map((pair) => Promise.all(pair)));
    const at = found.findIndex(([holder, text]) => text !== undefined || holder !== undefined);
    const [holder, text = holder] = found[at] ?? [];
    return text === undefined ? undefined : { storage: storages[at] as Storage, holder, text };
  };
  return async ({ input, auth }) => {
    const id = input['job_id'];
    const found = typeof id === 'string' && /^[0-9a-f]{32}$/.test(id) ? await find(id) : undefined;
    if (found === undefined) throw new Failure('not_found', 'job not found');
    let job = JSON.parse(found.text) as StoredJob;
    if (job.caller !== undefined && job.caller !== callerOf(auth)) throw new Failure('not_found', 'job not found');
    if (job.status === 'pending' && found.holder === undefined) {
      job = interrupted(job);
      await found.storage.replace(recordKey(job.job_id), found.text, JSON.stringify(job), places.get(job.flow)?.ttl);
    }
    return { kind: 'reply', value: recordOf(job), headers: { 'Cache-Control': 'no-store' } };
  };
}

function recordOf({ job_id, flow, status, result, error }: StoredJob): JobRecord {
  return {
    job_id,
    flow,
    status,
    ...(status === 'completed' ? { result } : {}),
    ...(error === undefined ? {} : { error }),
  };
}
