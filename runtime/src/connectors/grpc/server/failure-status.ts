import type { Metadata, StatusObject } from '@grpc/grpc-js';
import protobuf from 'protobufjs';
import type { Failure, FieldProblem } from '../../../foundation/errors/failure.ts';
import { reportOf } from '../../../foundation/errors/report.ts';
import { statusOfFailure } from '../status.ts';
import { writeStruct } from './struct.ts';

/** Field violations that go out; a caller learns enough from them. */
const mostViolations = 100;
const domain = 'svc';
/** Bytes of a body among the details, which travel in a header; clients take 8 KiB of all headers together. */
const mostBody = 4096;

/** The status of a failure. */
export interface FailureStatus {
  readonly status: StatusObject;
  /** Given to failures of the service, so that an answer can be found in the log. */
  readonly requestId: string | undefined;
  /** The body of the flow has no room among the details. */
  readonly isCut: boolean;
}

/**
 * A failure as the status of a call. Its details (`google.rpc.Status`) have the code of the failure as `ErrorInfo`, and refused
 * fields as `BadRequest`; what the flow answered is there as `google.protobuf.Struct`. In production a failure of the service says only that there was one.
 */
export function failureStatus(failure: Failure, production: boolean, metadata: Metadata): FailureStatus {
  const code = statusOfFailure(failure);
  const { text, code: word, fields, body, requestId } = reportOf(failure, production);
  const details = word === undefined ? `${text} (request_id ${requestId})` : text;
  const struct = body === undefined || body === null ? undefined : writeStruct(body);
  const isCut = struct !== undefined && struct.length > mostBody;
  const any = word === undefined ? [] : [errorInfo(word), ...badRequest(fields)];
  if (struct !== undefined && !isCut) any.push(packedAs('google.protobuf.Struct', struct));
  if (any.length > 0) metadata.set('grpc-status-details-bin', statusDetails(code, details, any));
  if (failure.retryAfter !== undefined) metadata.set('retry-after', String(Math.ceil(failure.retryAfter / 1000)));
  return { status: { code, details: header(details), metadata }, requestId, isCut };
}

/** A message of a status travels in a header, which is bounded. */
function header(text: string): string {
  return text.length > 2000 ? `${text.slice(0, 2000)}...` : text;
}

function statusDetails(code: number, message: string, details: readonly Uint8Array[]): Buffer {
  const writer = protobuf.Writer.create().uint32(8).int32(code).uint32(18).string(header(message));
  for (const each of details) writer.uint32(26).bytes(each);
  return Buffer.from(writer.finish());
}

function packed(type: string, message: protobuf.Writer): Uint8Array {
  return packedAs(`google.rpc.${type}`, message.finish());
}

function packedAs(type: string, message: Uint8Array): Uint8Array {
  return protobuf.Writer.create().uint32(10).string(`type.googleapis.com/${type}`).uint32(18).bytes(message).finish();
}

function errorInfo(code: string): Uint8Array {
  const message = protobuf.Writer.create().uint32(10).string(code.toUpperCase()).uint32(18).string(domain);
  return packed('ErrorInfo', message);
}

function badRequest(fields: readonly FieldProblem[] = []): readonly Uint8Array[] {
  if (fields.length === 0) return [];
  const message = protobuf.Writer.create();
  for (const { field, message: says } of fields.slice(0, mostViolations))
    message.uint32(10).fork().uint32(10).string(field).uint32(18).string(says).ldelim();
  return [packed('BadRequest', message)];
}
