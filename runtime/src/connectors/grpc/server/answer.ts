import protobuf from 'protobufjs';
import type { Outcome, Reply } from '../../../contracts/outcome.ts';
import { Failure } from '../../../errors/failure.ts';
import type { RpcMethod } from '../../../formats/protobuf/schema/methods.ts';
import { type WritingForm, writeMessage } from '../../../formats/protobuf/write.ts';
import { dropAnswer } from '../../../http/drop-answer.ts';
import { statusOfHttp } from '../status.ts';

/** What a call is answered: messages, or a status that the flow has chosen. */
export type RpcAnswer =
  | { readonly messages: readonly Uint8Array[] }
  | { readonly status: number; readonly text: unknown };

/** The messages of an outcome. Throws a Failure for an answer that the method cannot give. */
export function answerOf(outcome: Outcome, method: RpcMethod, form: WritingForm): RpcAnswer {
  if (outcome.kind === 'drop') {
    const answered = dropAnswer(outcome);
    if (answered instanceof Failure) throw answered;
    return { messages: method.responseStream ? [] : [written(method, {}, form)] };
  }
  const status = outcome.grpcStatus ?? (outcome.status === undefined ? 0 : statusOfHttp(outcome.status));
  if (status !== 0) return { status, text: textOf(outcome) };
  const write = (value: unknown) => written(method, value, form);
  const { value } = outcome;
  if (!method.responseStream) return { messages: [write(oneOf(method, value))] };
  return { messages: (Array.isArray(value) ? value : value === null || value === undefined ? [] : [value]).map(write) };
}

function textOf({ value }: Reply): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const { error, message } = value as { readonly error?: unknown; readonly message?: unknown };
  return error ?? message;
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
