import type { RefusalForm } from '../../../foundation/contracts/http.ts';
import { codeOf } from '../../../foundation/errors/answered.ts';
import { asFailure } from '../../../foundation/errors/classify.ts';
import { disclosed } from '../../../foundation/errors/disclose.ts';
import type { Failure } from '../../../foundation/errors/failure.ts';
import { failureNamespace } from '../../../platform/formats/wsdl/failure-namespace.ts';
import { refusal, statusOf } from '../../../platform/http/refusal.ts';
import { faultElement } from '../envelope/fault.ts';
import { type FaultCode, FaultFailure } from '../envelope/fault-failure.ts';
import { type SoapVersion, versions } from '../envelope/version.ts';
import { envelopeText, fieldsOf } from '../envelope/write.ts';

/** A failure that HTTP has a status for, such as 401, 415, 429 and 503, as a fault with that status. */
export function edgeFaultForm(version: SoapVersion): RefusalForm {
  const fault = faultForm(version);
  return (error, production) => {
    // Its id is the one that the log has: a failure is written once.
    const written = fault(error, production);
    return { ...written, status: statusOf(asFailure(error)) };
  };
}

/**
 * A failure as a fault, with status 500 (SOAP 1.1, 6.2): of the client where its request caused it, with code and fields
 * in the detail; else of the server, and in production only with the id that the log has.
 */
export function faultForm(version: SoapVersion): RefusalForm {
  return (error, production) => {
    const failure = asFailure(error);
    const { requestId, headers } = refusal(failure, production);
    const text = disclosed(failure, production) ?? 'Internal Server Error';
    const fault = faultElement(version, {
      code: faultCodeOf(failure),
      subcode: failure instanceof FaultFailure ? failure.subcode : undefined,
      text: failure.code === 'body_undecodable' ? `Invalid SOAP envelope: ${text}` : text,
      // What is wrong with a header has no detail (SOAP 1.1, 4.4).
      detail: failure instanceof FaultFailure ? undefined : detailOf(failure, requestId, production),
    });
    const body = envelopeText({ version, body: fault });
    return { status: 500, body, contentType: versions[version].contentType, headers, requestId };
  };
}

function faultCodeOf(failure: Failure): FaultCode {
  if (failure instanceof FaultFailure) return failure.faultCode;
  const { kind, answered, status } = failure;
  return (kind.callers || answered !== undefined) && status < 500 ? 'Client' : 'Server';
}

function detailOf(
  failure: Failure,
  requestId: string | undefined,
  production: boolean,
): Readonly<Record<string, unknown>> {
  const { fields, answered } = failure;
  const isHidden = disclosed(failure, production) === undefined;
  return {
    'f:failure': {
      '@xmlns:f': failureNamespace,
      ...(isHidden ? { 'f:request_id': requestId } : { 'f:code': codeOf(failure) }),
      ...(!isHidden &&
        fields !== undefined && {
          'f:field': fields.map(({ field, code, message }) => ({
            'f:name': field,
            'f:code': code,
            'f:message': message,
          })),
        }),
      ...(answered !== undefined && { 'f:status': answered.status, 'f:body': fieldsOf(answered.value) }),
    },
  };
}
