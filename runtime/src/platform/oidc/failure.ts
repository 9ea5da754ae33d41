import { Failure, type FailureOptions } from '../../foundation/errors/failure.ts';
import type { FailureCode } from '../../foundation/errors/failures.ts';
import type { ProviderError } from '../net/oauth/provider-error.ts';

/**
 * What went wrong between this service and a provider.
 *
 * - `unavailable`: it did not answer, or its document could not be read yet. Trying again may help.
 * - `refused`: it answered an error, which `providerError` names.
 * - `unacceptable`: an answer, or what a browser brought back, does not pass a check, which `check` names.
 */
export type OpenIdReason = 'unavailable' | 'refused' | 'unacceptable';

export interface OpenIdFailureOptions extends FailureOptions {
  readonly check?: string | undefined;
  readonly providerError?: string | undefined;
  readonly providerDescription?: string | undefined;
}

/** A failure between this service and a provider. It never holds a token, a code or a secret, nor does its cause. */
export class OpenIdFailure extends Failure {
  readonly reason: OpenIdReason;
  /** Which check failed, such as `nonce`: for the log, since it would help an attacker. */
  readonly check: string | undefined;
  /** The error code of the provider, such as `access_denied` (RFC 6749, 4.1.2.1 and 5.2); at most 64 characters. */
  readonly providerError: string | undefined;
  /** What the provider says about its error; at most 256 printable characters. */
  readonly providerDescription: string | undefined;

  constructor(reason: OpenIdReason, code: FailureCode, message: string, options: OpenIdFailureOptions = {}) {
    super(code, message, options);
    this.reason = reason;
    this.check = options.check;
    this.providerError = options.providerError;
    this.providerDescription = options.providerDescription;
  }
}

/** Makes the failures that concern one provider, which their messages name. */
export class ProviderFailures {
  readonly #provider: string;

  constructor(provider: string) {
    this.#provider = provider;
  }

  /** `retryAfter`: milliseconds. */
  unavailable(why: string, options: Pick<FailureOptions, 'cause' | 'retryAfter'> = {}): OpenIdFailure {
    const message = `the identity provider "${this.#provider}" is unavailable: ${why}`;
    return new OpenIdFailure('unavailable', 'provider_unavailable', message, options);
  }

  /**
   * `status` is that of its answer; undefined where a browser brought the error back. `help`: what can be done about it.
   */
  refused(error: ProviderError, status: number | undefined, help?: string): OpenIdFailure {
    const { code, description } = error;
    const said = description === undefined ? code : `${code}: ${description}`;
    const message = `the identity provider "${this.#provider}" refused: ${said}${help === undefined ? '' : `; ${help}`}`;
    return new OpenIdFailure('refused', status === undefined ? 'authentication_required' : 'upstream_error', message, {
      providerError: code,
      providerDescription: description,
      retriable: false,
      ...(status !== undefined && { upstream: { status, body: '' } }),
    });
  }

  /** An answer of the provider does not pass a check. */
  unacceptable(check: string, why: string): OpenIdFailure {
    const message = `the identity provider "${this.#provider}" answered what is not accepted: ${why}`;
    return new OpenIdFailure('unacceptable', 'connector_failed', message, { check, retriable: false });
  }

  /** What a browser brought back does not pass a check. */
  notOurs(check: string, why: string): OpenIdFailure {
    return new OpenIdFailure('unacceptable', 'input_refused', why, { check });
  }
}
