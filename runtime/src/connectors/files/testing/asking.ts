import { Readable } from 'node:stream';
import { expect } from 'vitest';
import type { CallResult } from '../../../foundation/contracts/call-result.ts';
import { Content } from '../../../foundation/contracts/content.ts';
import type { CallDescription, CallRequest } from '../../../foundation/contracts/target.ts';
import type { Failure } from '../../../foundation/errors/failure.ts';
import type { TargetConnector } from '../../testing/target-conformance.ts';

/** A call as a step makes it, without what it is about. */
export const described: CallDescription = {
  verb: 'call',
  operation: undefined,
  target: undefined,
  query: undefined,
  timeout: undefined,
  exact: false,
  flow: 'f',
  label: 'step "s"',
};

/** Asks a connector once, as a step does. */
export async function answerOf(
  connector: TargetConnector,
  operation: string,
  params: Readonly<Record<string, unknown>>,
  call: Partial<CallDescription> = {},
  request: CallRequest = {},
): Promise<CallResult> {
  const execute = connector.target.prepare({ ...described, operation, ...call });
  return execute({ params, ...request });
}

/** The same, for the value of the answer. */
export async function ask(...asked: Parameters<typeof answerOf>): Promise<unknown> {
  return (await answerOf(...asked)).value;
}

/** The failure of what must fail. */
export async function failureOf(work: Promise<unknown>): Promise<Failure> {
  return work.then(
    (answer) => expect.fail(`it did not fail, and answered ${JSON.stringify(answer)}`),
    (error: Failure) => error,
  );
}

/** A content whose bytes come from a generator, each time from the beginning. */
export function contentOf(pieces: () => AsyncIterable<Buffer>, size?: number): Content {
  const stream = () => Readable.from(pieces(), { objectMode: false });
  const bytes = { size, once: false, inMemory: undefined, stream, read: () => Buffer.alloc(0) };
  return new Content(bytes, { filename: '', contentType: '' }, new Uint8Array());
}
