import { Failure } from '../../foundation/errors/failure.ts';
import type { AddressPolicy } from '../net/addresses/address-policy.ts';
import type { ClientAuthentication } from '../net/oauth/spec.ts';
import { addressProblem } from './address-rules.ts';
import type { ProviderFailures } from './failure.ts';
import type { WrittenEndpoints } from './settings.ts';

/** What is known of a provider. */
export interface ProviderMetadata {
  /** Undefined of written endpoints that name none. */
  readonly issuer: string | undefined;
  readonly authorizationEndpoint: string;
  readonly tokenEndpoint: string;
  readonly userinfoEndpoint: string | undefined;
  /** Undefined of a provider without id_tokens. */
  readonly idTokens: IdTokenMetadata | undefined;
  /** The token endpoint for clients that show a certificate, where it is another one (RFC 8705, 5). */
  readonly tlsTokenEndpoint?: string | undefined;
  /** How clients may prove themselves; undefined where nothing is said. */
  readonly authentications: readonly ClientAuthentication[] | undefined;
  /** By which algorithms clients may sign what proves them; undefined where nothing is said. */
  readonly algorithms?: readonly string[] | undefined;
  /** Whether each answer of the authorization endpoint names its issuer (RFC 9207, 3). */
  readonly answersWithIssuer: boolean;
}

export interface IdTokenMetadata {
  readonly issuer: string;
  readonly keysUrl: string;
  /** Algorithms that an id_token may be signed with; asymmetric ones, at least one. */
  readonly algorithms: readonly string[];
}

/** Signatures by a private key of the provider: never `none`, and never a secret that this service has too. */
const asymmetric = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];
/** Methods by the names that documents have for them. */
const methods: Readonly<Record<string, ClientAuthentication>> = {
  client_secret_basic: 'basic',
  client_secret_post: 'post',
  private_key_jwt: 'private_key_jwt',
  tls_client_auth: 'tls',
  self_signed_tls_client_auth: 'tls',
  none: 'none',
};

/** Metadata of endpoints that the configuration writes. */
export function writtenMetadata({ authorization, token, userinfo, issuer }: WrittenEndpoints): ProviderMetadata {
  return {
    issuer,
    authorizationEndpoint: authorization,
    tokenEndpoint: token,
    userinfoEndpoint: userinfo,
    idTokens: undefined,
    authentications: undefined,
    answersWithIssuer: false,
  };
}

/**
 * Reads the document of an issuer (OpenID Connect Discovery 1.0, 3 and 4.3). Throws an OpenIdFailure where it says
 * another issuer, or nothing that this service could work with.
 */
export function readMetadata(
  document: unknown,
  issuers: readonly string[],
  addresses: AddressPolicy,
  failures: ProviderFailures,
): ProviderMetadata {
  if (typeof document !== 'object' || document === null || Array.isArray(document))
    throw failures.unacceptable('discovery', 'its document is not a JSON object');
  const said = document as Readonly<Record<string, unknown>>;
  const { issuer } = said;
  if (typeof issuer !== 'string' || !issuers.includes(issuer))
    throw failures.unacceptable('discovery issuer', otherIssuer(issuer, issuers[0]!));
  const required = (name: string): string => {
    const url = endpoint(said, name, addresses, failures);
    if (url === undefined) throw failures.unacceptable('discovery', `its document names no ${name}`);
    return url;
  };
  const responseTypes = texts(said['response_types_supported']);
  if (responseTypes !== undefined && !responseTypes.includes('code'))
    throw failures.unacceptable('discovery', 'it does not offer the response type `code`');
  return {
    issuer,
    authorizationEndpoint: required('authorization_endpoint'),
    tokenEndpoint: required('token_endpoint'),
    userinfoEndpoint: endpoint(said, 'userinfo_endpoint', addresses, failures),
    idTokens: { issuer, keysUrl: required('jwks_uri'), algorithms: algorithmsOf(said, failures) },
    tlsTokenEndpoint: endpoint(
      { ...objectOf(said['mtls_endpoint_aliases']), issuer },
      'token_endpoint',
      addresses,
      failures,
    ),
    authentications: texts(said['token_endpoint_auth_methods_supported'])?.flatMap((name) => methods[name] ?? []),
    algorithms: texts(said['token_endpoint_auth_signing_alg_values_supported']),
    answersWithIssuer: said['authorization_response_iss_parameter_supported'] === true,
  };
}

function otherIssuer(issuer: unknown, expected: string): string {
  if (typeof issuer !== 'string') return 'its document names no issuer';
  const named = `its document is that of the issuer ${JSON.stringify(issuer.slice(0, 255))}, not of "${expected}"`;
  if (/[{}]/.test(issuer)) return `${named}; issuers with a template are not supported: write the issuer of one tenant`;
  return `${named}; write the issuer exactly as the document does`;
}

/** The browser alone goes to the authorization endpoint; to all others this service does, so that their hosts count. */
function endpoint(
  said: Readonly<Record<string, unknown>>,
  name: string,
  addresses: AddressPolicy,
  failures: ProviderFailures,
): string | undefined {
  const url = said[name];
  if (url === undefined || url === null) return undefined;
  const isDowngrade = String(said['issuer']).startsWith('https:') && String(url).startsWith('http:');
  const problem =
    typeof url !== 'string' ? 'is not a text' : isDowngrade ? 'does not begin with https://' : addressProblem(url);
  if (problem !== undefined) throw failures.unacceptable('discovery address', `${name} of its document ${problem}`);
  if (name !== 'authorization_endpoint')
    try {
      addresses.check(new URL(url as string).hostname);
    } catch (error) {
      const why = error instanceof Failure ? error.message : String(error);
      throw failures.unacceptable('discovery address', `${name} of its document: ${why}`);
    }
  return url as string;
}

function algorithmsOf(said: Readonly<Record<string, unknown>>, failures: ProviderFailures): readonly string[] {
  const offered = texts(said['id_token_signing_alg_values_supported']) ?? ['RS256'];
  const accepted = asymmetric.filter((algorithm) => offered.includes(algorithm));
  if (accepted.length > 0) return accepted;
  throw failures.unacceptable('discovery', 'it signs id_tokens by no algorithm that is accepted');
}

function texts(value: unknown): readonly string[] | undefined {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : undefined;
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}
