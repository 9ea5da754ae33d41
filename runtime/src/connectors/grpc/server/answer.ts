import protobuf from 'protobufjs';
import type { Answer, Failed, Outcome } from '../../../foundation/contracts/outcome.ts';
import { failureOf } from '../../../foundation/errors/answered.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import type { RpcMethod } from '../../../platform/formats/protobuf/schema/methods.ts';
import { type WritingForm, writeMessage } from '../../../platform/formats/protobuf/write.ts';
import { dropAnswer } from '../../../platform/http/drop-answer.ts';
import { httpStatusOf } from '../status.ts';

/**
 * The messages of an outcome, or the failure that the flow has answered. Throws a Failure for an answer that the method cannot
 * give.
 */
export function answerOf(outcome: Outcome, method: RpcMethod, form: WritingForm): readonly Uint8Array[] | Failure {
  if (outcome.kind === 'drop') {
    const answered = dropAnswer(outcome);
    if (answered instanceof Failure) throw answered;
    return method.responseStream ? [] : [written(method, {}, form)];
  }
  const { grpcStatus } = outcome;
  if (grpcStatus === undefined ? outcome.kind === 'failed' : grpcStatus !== 0)
    return failureOf(outcome.kind === 'failed' ? outcome : withStatus(outcome, httpStatusOf(grpcStatus as number)));
  const write = (value: unknown) => written(method, value, form);
  const { value } = outcome;
  if (!method.responseStream) return [write(oneOf(method, value))];
  return (Array.isArray(value) ? value : value === null || value === undefined ? [] : [value]).map(write);
}

function withStatus({ value, grpcStatus, headers }: Answer, status: number): Failed {
  return { kind: 'failed', value, status, grpcStatus, headers };
}

/** A list goes into the first repeated field of its kind; one of a single element may be the message itself. */
function oneOf({ response, path }: RpcMethod, value: unknown): unknown {
  if (value === null || value === undefined) return {};
  if (!Array.isArray(value)) return value;
  const isObjects = typeof value[0] === 'object' && value[0] !== null && !(value[0] instanceof Uint8Array);
  const repeated = response.fieldsArray.find(
    (field) => field.repeated && (value.length === 0 || field.resolvedType instanceof protobuf.Type === isObjects),
  );
  if (repeated !== undefined) return { [repeated.name]: value };
  if (value.length <= 1) return value[0] ?? {};
  throw new Failure(
    'output_invalid',
    `${path.slice(1)} answers one ${response.name}, and the flow gave ${value.length}`,
  );
}

function written({ response, path }: RpcMethod, value: unknown, form: WritingForm): Uint8Array {
  try {
    return writeMessage(response, value, form);
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'value_refused') throw error;
    // It is not the caller who gave it.
    throw new Failure('output_invalid', `the answer of ${path.slice(1)} is not a ${response.name}: ${error.message}`, {
      cause: error,
    });
  }
}
