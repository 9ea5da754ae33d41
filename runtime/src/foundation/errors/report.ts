import { randomUUID } from 'node:crypto';
import { toJson } from '@svc/protocol/cel';
import { codeOf } from './answered.ts';
import { disclosed } from './disclose.ts';
import type { Failure, FieldProblem } from './failure.ts';

/** A failure as a caller reads it, in whatever protocol it is written. */
export interface Report {
  readonly text: string;
  /** Undefined where production hides it. */
  readonly code: string | undefined;
  readonly fields: readonly FieldProblem[] | undefined;
  /** What the flow wrote, as JSON; undefined where it wrote nothing. */
  readonly body: unknown;
  /** Given to failures of the service, so that an answer can be found in the log. */
  readonly requestId: string | undefined;
}

/** What a caller reads of a failure. In production one of the service has a text that says no more, and the id under which it is logged. */
export function reportOf(failure: Failure, production: boolean): Report {
  const { answered, fields, status } = failure;
  if (answered !== undefined)
    return { text: failure.message, code: codeOf(failure), fields, body: toJson(answered.value), requestId: undefined };
  const text = disclosed(failure, production);
  const requestId = status >= 500 ? randomUUID() : undefined;
  if (text === undefined)
    return { text: 'Internal Server Error', code: undefined, fields: undefined, body: undefined, requestId };
  return { text, code: failure.code, fields, body: undefined, requestId };
}

/** Where in the service a failure happened, with its code and text, for the line under its request id. */
export function logged({ at, code, message, stack }: Failure): Readonly<Record<string, unknown>> {
  return {
    code,
    error: message,
    ...(at.flow !== undefined && { flow: at.flow }),
    ...(at.stage !== undefined && { stage: at.stage }),
    ...(at.connector !== undefined && { failed_connector: at.connector }),
    ...(code === 'internal' && { stack }),
  };
}
