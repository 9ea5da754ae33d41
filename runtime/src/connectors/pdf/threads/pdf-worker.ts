import { parentPort } from 'node:worker_threads';
import { Failure } from '../../../errors/failure.ts';
import { makeDocument } from '../paint/document.ts';
import type { ThreadAnswer, ThreadJob } from './messages.ts';

/** The program of a thread that makes documents, one after another. */
const port = parentPort as NonNullable<typeof parentPort>;

port.on('message', async (job: ThreadJob) => {
  try {
    const made = await makeDocument(job);
    port.postMessage({ made } satisfies ThreadAnswer, [made.bytes.buffer]);
  } catch (error) {
    const failure =
      error instanceof Failure
        ? error
        : new Failure('internal', `the document cannot be made: ${error instanceof Error ? error.message : error}`);
    const { code, message: text, retriable } = failure;
    port.postMessage({ code, text, retriable } satisfies ThreadAnswer);
  }
});
