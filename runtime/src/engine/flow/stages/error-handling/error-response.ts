import { randomUUID } from 'node:crypto';
import type { Outcome } from '../../../../foundation/contracts/outcome.ts';
import { asFailure } from '../../../../foundation/errors/classify.ts';
import { disclosed } from '../../../../foundation/errors/disclose.ts';
import type { Failure } from '../../../../foundation/errors/failure.ts';
import { logged } from '../../../../foundation/errors/report.ts';
import type { Frame } from '../../message/frame.ts';
import type { Part, Run } from '../../message/part.ts';
import type { FlowModel } from '../../model.ts';
import type { FlowTools } from '../../tools.ts';
import { compileMapping } from '../transform/stage.ts';
import { errorVariable } from './error-variable.ts';

/** Gates whose failures are not shaped (docs/specification/flow.md#retries-and-fallback). */
const unshaped: readonly (string | undefined)[] = ['filter', 'accept', 'async', 'idempotency'];

/**
 * Turns a failure into the answer that the author wrote; it is sent as written in production too. A message of a stream
 * has no caller: its failure stays a failure, so that the message does not count as done.
 */
export function errorResponse({ name: flow, values, answers }: FlowModel, tools: FlowTools): Part[] {
  const block = values.error_handling?.error_response;
  if (!block || !answers) return [];
  const { status, headers } = block;
  const mapping = block.body && compileMapping(block.body.fields, 'error_response: body', tools);
  const { log, production } = tools.services;
  /** What production hides is logged under the id that the caller gets. */
  const standard = (failure: Failure) => {
    const error = disclosed(failure, production);
    if (error !== undefined) return { error };
    const requestId = randomUUID();
    log.error('request failed', { request_id: requestId, ...logged(failure) });
    return { error: 'Internal Server Error', request_id: requestId };
  };
  const bodyOf = (frame: Frame, failure: Failure): unknown => {
    if (mapping === undefined) return standard(failure);
    frame.input = frame.message.input;
    frame.error = errorVariable(failure);
    try {
      return mapping.fill(frame, mapping.start());
    } catch (error) {
      log.warn('the body of error_response cannot be evaluated', { flow, error: asFailure(error).message });
      return standard(failure);
    }
  };
  const shape = (frame: Frame, error: unknown): Outcome => {
    const failure = asFailure(error, { flow });
    // Gates of a flow that this one has called are not gates of this one.
    const { at } = failure;
    if (failure.code === 'cancelled' || (at.flow === flow && unshaped.includes(at.stage))) throw failure;
    frame.failure = failure;
    const code = disclosed(failure, true) === undefined ? undefined : failure.code;
    return { kind: 'failed', value: bodyOf(frame, failure), status, headers, code };
  };
  const around =
    (next: Run): Run =>
    (frame) => {
      try {
        const outcome = next(frame);
        return outcome instanceof Promise ? outcome.catch((error: unknown) => shape(frame, error)) : outcome;
      } catch (error) {
        return shape(frame, error);
      }
    };
  return [{ title: 'error_response', around }];
}
