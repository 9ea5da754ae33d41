import type { Values } from '@svc/protocol/schema';
import { asFailure } from '../../../../foundation/errors/classify.ts';
import type { Failure } from '../../../../foundation/errors/failure.ts';
import { maskedInput } from '../../../../foundation/observe/masked-input.ts';
import { FlowRequest, prepareCall } from '../../calls/call.ts';
import type { Frame } from '../../message/frame.ts';
import type { FlowModel } from '../../model.ts';
import type { FlowTools } from '../../tools.ts';
import { messageFields } from '../destination/payload.ts';
import { compilePayload } from '../transform/stage.ts';
import { errorVariable } from './error-variable.ts';
import type { errorHandling } from './spec.ts';

/** Sends a failed message to the fallback. */
export type Fallback = (frame: Frame, failure: Failure) => Promise<unknown>;

type FallbackBlock = NonNullable<Values<typeof errorHandling>['fallback']>;

export function compileFallback({ name: flow }: FlowModel, block: FallbackBlock, tools: FlowTools): Fallback {
  const mapping = block.transform && compilePayload(block.transform.fields, 'fallback: transform', tools);
  const { clock, log } = tools.services;
  const execute = prepareCall(
    tools.connector(block.connector),
    { verb: 'create', operation: 'INSERT', target: block.target, flow, label: 'fallback' },
    tools,
  );
  const whole = (frame: Frame, failure: Failure) => {
    const original = { original_input: maskedInput(messageFields(frame), frame.message) };
    if (!block.include_error) return original;
    const timestamp = new Date(clock.now()).toISOString();
    return { ...original, error: { message: failure.message, flow_name: flow, timestamp } };
  };
  const payloadOf = (frame: Frame, failure: Failure): Record<string, unknown> => {
    if (mapping === undefined) return whole(frame, failure);
    frame.error = errorVariable(failure);
    try {
      return mapping.fill(frame, mapping.start());
    } catch (error) {
      const { message } = asFailure(error);
      log.warn('the transform of a fallback failed, the message is sent as it came', { flow, error: message });
      return whole(frame, failure);
    }
  };
  return async (frame, failure) => {
    frame.input = frame.message.input;
    const request = new FlowRequest(frame);
    request.payload = payloadOf(frame, failure);
    return execute(request);
  };
}
