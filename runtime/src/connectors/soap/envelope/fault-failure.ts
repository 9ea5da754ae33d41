import { Failure } from '../../../foundation/errors/failure.ts';
import type { FailureCode } from '../../../foundation/errors/failures.ts';

/** What a fault says of its cause, in the words of SOAP 1.1. */
export type FaultCode = 'Client' | 'Server' | 'VersionMismatch' | 'MustUnderstand';

/** A name that is more exact than the code of a fault, of a namespace of its own. */
export interface Subcode {
  readonly prefix: string;
  readonly namespace: string;
  readonly local: string;
}

/** A failure of a request that SOAP itself, or a specification beside it, has a code for. */
export class FaultFailure extends Failure {
  readonly faultCode: FaultCode;
  readonly subcode: Subcode | undefined;

  constructor(faultCode: FaultCode, message: string, code: FailureCode = 'value_refused', subcode?: Subcode) {
    super(code, message);
    this.faultCode = faultCode;
    this.subcode = subcode;
  }
}
