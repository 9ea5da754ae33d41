import { availableParallelism } from 'node:os';
import { Failure } from '../../../foundation/errors/failure.ts';
import { threadProgram } from '../../../platform/threads/program.ts';
import { type Trouble, usualIdleTime, WorkerPool } from '../../../platform/threads/worker-pool.ts';
import type { DocumentJob, MadeDocument } from '../paint/document.ts';

/** The threads of the process that make documents. A caller ends what takes too long. */
const threads = new WorkerPool({
  name: 'svc pdf',
  program: threadProgram(import.meta.url, 'pdf-worker'),
  workers: Math.max(1, Math.min(2, availableParallelism() - 1)),
  waiting: 1000,
  // Characters of HTML: four documents of the largest size.
  waitingBytes: 256 * 1024 * 1024,
  deadline: Number.POSITIVE_INFINITY,
  idleTime: usualIdleTime,
  megabytes: 1024,
  failure,
});

/** Rejects with the Failure of the document, with the reason of the signal, and with `overloaded` when too many wait. */
export function documentOf(job: DocumentJob, signal: AbortSignal): Promise<MadeDocument> {
  return threads.run<MadeDocument>({ bytes: job.html.length, begin: () => ({ content: job }) }, signal);
}

function failure(trouble: Trouble, cause: Error | undefined): Failure {
  switch (trouble) {
    case 'overload':
      return new Failure('overloaded', 'too many documents wait to be made');
    case 'memory':
      return new Failure('body_too_large', 'the document takes too much memory', { cause });
    default: {
      const reason = cause?.message ?? 'its thread ended';
      return new Failure('internal', `the document cannot be made: ${reason}`, { cause });
    }
  }
}
