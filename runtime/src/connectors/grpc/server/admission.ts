import type { Refused, RequestServices, Verifier } from '../../../foundation/contracts/http.ts';
import { type Auth, anonymous } from '../../../foundation/contracts/message.ts';
import type { TokenAnswer } from '../../../foundation/contracts/storage.ts';
import { asFailure } from '../../../foundation/errors/classify.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import type { Clock } from '../../../foundation/observe/clock.ts';
import { overloaded } from '../../../platform/http/admission/admission.ts';
import { callerOf, isRefused } from '../../../platform/http/admission/caller.ts';
import { ClientAddress } from '../../../platform/http/admission/client-address.ts';
import { limitExceeded, RequestLimiter } from '../../../platform/http/admission/rate-limit.ts';
import type { Room } from '../../../platform/http/admission/room.ts';
import { certified } from '../../../platform/identity/certified.ts';
import type { IncomingCall } from './incoming-call.ts';

/** What decides about the calls of one configuration. */
export interface AdmissionParts {
  readonly verifier: Verifier | undefined;
  /** Absent: nothing is limited, and no caller is recognised. */
  readonly requests: RequestServices | undefined;
  readonly clock: Clock;
  /** Whether clients have to present a certificate, which says who they are unless something else does. */
  readonly certified: boolean;
}

/** Who calls, or why the call is refused. */
export type Admitted = Auth | Failure;

/** Decides whether a call may reach its flow: rate limit, overload and identity, in this order, as servers of HTTP do. */
export class CallAdmission {
  readonly #parts: AdmissionParts;
  readonly #limiter: RequestLimiter | undefined;

  constructor(parts: AdmissionParts) {
    const { requests, clock } = parts;
    this.#parts = parts;
    this.#limiter =
      requests?.rateLimiter &&
      new RequestLimiter(requests.rateLimiter, new ClientAddress(requests.trustedProxies), clock);
  }

  /** Answers without a promise when nothing had to be asked. `room` counts the call already. */
  admit(call: IncomingCall, room: Room): Admitted | Promise<Admitted> {
    const { verifier, requests } = this.#parts;
    if (verifier !== undefined) call.addHeaders(verifier.responseHeaders);
    const isBusy = room.isFull() || requests?.overloaded() === true;
    const limiter = this.#limiter;
    // Requests to a store are bounded by what may be in flight.
    const answer = limiter === undefined || (isBusy && limiter.shared) ? undefined : limiter.ask(call);
    if (answer instanceof Promise) return answer.then((late) => this.#limited(call, late, isBusy));
    return answer === undefined ? this.#identify(call, isBusy) : this.#limited(call, answer, isBusy);
  }

  #limited(call: IncomingCall, answer: TokenAnswer, isBusy: boolean): Admitted | Promise<Admitted> {
    call.addHeaders(this.#limiter?.headersOf(answer) ?? []);
    if (answer.allowed) return this.#identify(call, isBusy);
    return new Failure('rate_limited', limitExceeded, { retryAfter: Math.max(1000, answer.retryAfter) });
  }

  #identify(call: IncomingCall, isBusy: boolean): Admitted | Promise<Admitted> {
    if (isBusy) return overloaded;
    const { verifier, requests } = this.#parts;
    const verdict = callerOf(call, verifier, requests?.recognise);
    return verdict instanceof Promise
      ? verdict.then((late) => this.#identified(call, late))
      : this.#identified(call, verdict);
  }

  #identified(call: IncomingCall, verdict: Auth | Refused | undefined): Admitted {
    if (isRefused(verdict)) {
      call.addHeaders(verdict.headers);
      const failure = asFailure(verdict.refused);
      if (failure.code === 'authentication_required') this.#limiter?.countRefused(call);
      return failure;
    }
    if (verdict !== undefined) return verdict;
    return (this.#parts.certified ? certified(call.request.socket) : undefined) ?? anonymous;
  }
}
