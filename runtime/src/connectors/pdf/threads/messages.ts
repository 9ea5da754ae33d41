import type { FailureCode } from '../../../errors/failures.ts';
import type { DocumentJob, MadeDocument } from '../paint/document.ts';

/** What a thread is asked. */
export type ThreadJob = DocumentJob;

/** What a thread answers: the document, or why it could not be made. */
export type ThreadAnswer =
  | { readonly made: MadeDocument }
  | { readonly code: FailureCode; readonly text: string; readonly retriable: boolean };
