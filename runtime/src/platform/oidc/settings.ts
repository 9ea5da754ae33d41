import type { Clock } from '../../foundation/observe/clock.ts';
import type { Log } from '../../foundation/observe/log.ts';
import type { OAuthClient } from '../net/oauth/client-authentication.ts';
import type { TlsMaterial } from '../net/tls.ts';

/** The endpoints of a provider that publishes no document about itself. */
export interface WrittenEndpoints {
  readonly authorization: string;
  readonly token: string;
  readonly userinfo?: string | undefined;
  /** Further addresses that `resource` reads, such as a list of e-mail addresses. */
  readonly resources?: readonly string[] | undefined;
  /** The issuer that it names in `iss` of its answers (RFC 9207); undefined: such an `iss` is not compared. */
  readonly issuer?: string | undefined;
}

/** A provider and the client that this service is to it. Addresses are checked before, by `address-rules.ts`. */
export interface OpenIdSettings extends OAuthClient {
  /** As the configuration names it. What begins with one provider cannot end with another. */
  readonly name: string;
  /** The issuer, whose document is read, or its endpoints: then there are no id_tokens. */
  readonly provider: { readonly issuer: string } | { readonly endpoints: WrittenEndpoints };
  /** Asked for where no others are. `openid` is always asked of an issuer. */
  readonly scopes: readonly string[];
  /** Authorities and certificates; default: those of the platform. */
  readonly tls?: TlsMaterial | undefined;
  /** Milliseconds for each request to the provider. Default: 10 s. */
  readonly timeout?: number | undefined;
}

export interface OpenIdServices {
  readonly clock: Clock;
  readonly log: Log;
  readonly userAgent: string;
}
