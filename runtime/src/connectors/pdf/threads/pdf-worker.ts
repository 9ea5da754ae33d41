import { Failure } from '../../../foundation/errors/failure.ts';
import { serveThread } from '../../../platform/threads/serve.ts';
import { type DocumentJob, makeDocument } from '../paint/document.ts';

/** The program of a thread that makes documents, one after another. */
serveThread<DocumentJob>(
  async (job) => {
    const made = await makeDocument(job);
    return { value: made, transfer: [made.bytes.buffer] };
  },
  (error) =>
    new Failure('internal', `the document cannot be made: ${error instanceof Error ? error.message : error}`, {
      cause: error,
    }),
);
