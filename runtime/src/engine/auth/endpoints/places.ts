import { relyingPartyOf } from '../factors/passkeys/relying-party.ts';
import type { AuthSettings } from '../settings.ts';
import { issuerAddress } from '../tokens/issuer.ts';
import { type BodySpec, endpointBodies } from './bodies.ts';
import type { endpointBlocks } from './spec.ts';

/** Endpoints that have a block of their own. */
type WrittenName = Exclude<keyof typeof endpointBlocks, 'forgot_password'>;
type Callback = 'social_callback' | 'sso_callback';

/** Sign-ins at providers begin beside where they end. */
export type EndpointName = WrittenName | 'social_start' | 'sso_start';

/** Where an endpoint is by default, and when it is served. */
interface UsualPlace {
  readonly method: string;
  /** Behind the prefix, with parameters as `:name`. */
  readonly path: string;
  /** Further paths of it, with their method where it is another one. */
  readonly aliases?: readonly (string | readonly [method: string, path: string])[];
  /** Further paths of it that follow from the settings. */
  readonly following?: (settings: AuthSettings) => readonly string[];
  /** Without the prefix. */
  readonly absolute?: boolean;
  /** Absent: always. */
  readonly served?: (settings: AuthSettings) => boolean;
}

const hasFactors = ({ mfa }: AuthSettings) => mfa.enabled;
const hasRecovery = ({ mfa }: AuthSettings) => mfa.enabled && mfa.recovery.enabled;
const offersTotp = ({ mfa }: AuthSettings) => mfa.enabled && mfa.methods.includes('totp');
const offersPasskeys = (settings: AuthSettings) => relyingPartyOf(settings) !== undefined;

const hasProviders = ({ social, oidc }: AuthSettings) => social !== undefined || oidc.length > 0;

const usualPlaces: Readonly<Record<Exclude<WrittenName, Callback>, UsualPlace>> = {
  register: { method: 'POST', path: '/register' },
  login: { method: 'POST', path: '/login' },
  logout: { method: 'POST', path: '/logout' },
  refresh: { method: 'POST', path: '/refresh' },
  me: { method: 'GET', path: '/me' },
  sessions_list: { method: 'GET', path: '/sessions', served: ({ sessions }) => sessions.allow_list },
  sessions_revoke: { method: 'DELETE', path: '/sessions/:id', served: ({ sessions }) => sessions.allow_revoke },
  password_change: { method: 'POST', path: '/change-password', aliases: ['/password/change'] },
  password_forgot: { method: 'POST', path: '/forgot-password', aliases: ['/password/reset'] },
  password_reset: { method: 'POST', path: '/reset-password', aliases: ['/password/reset/confirm'] },
  mfa_setup: { method: 'POST', path: '/mfa/setup', served: offersTotp },
  mfa_verify: { method: 'POST', path: '/mfa/verify', served: hasFactors },
  mfa_disable: { method: 'POST', path: '/mfa/disable', aliases: [['DELETE', '/mfa/disable']], served: hasFactors },
  mfa_recovery: { method: 'POST', path: '/mfa/recovery', served: hasRecovery },
  mfa_recovery_codes: { method: 'POST', path: '/mfa/recovery-codes', served: hasRecovery },
  webauthn_register_begin: { method: 'POST', path: '/webauthn/register/begin', served: offersPasskeys },
  webauthn_register_finish: { method: 'POST', path: '/webauthn/register/finish', served: offersPasskeys },
  webauthn_login_begin: { method: 'POST', path: '/webauthn/login/begin', served: offersPasskeys },
  webauthn_login_finish: { method: 'POST', path: '/webauthn/login/finish', served: offersPasskeys },
  webauthn_credentials: { method: 'GET', path: '/webauthn/credentials', served: offersPasskeys },
  webauthn_remove: { method: 'DELETE', path: '/webauthn/credentials/:id', served: offersPasskeys },
  link_account: { method: 'POST', path: '/link/:provider', served: hasProviders },
  unlink_account: { method: 'DELETE', path: '/unlink/:provider', served: hasProviders },
  linked_list: { method: 'GET', path: '/linked-accounts', served: hasProviders },
  jwks: {
    method: 'GET',
    path: '/.well-known/jwks.json',
    absolute: true,
    served: ({ jwt }) => jwt.algorithm.startsWith('RS'),
  },
  discovery: {
    method: 'GET',
    path: '/.well-known/oauth-authorization-server',
    aliases: ['/.well-known/openid-configuration'],
    following: discoveryBelowIssuer,
    absolute: true,
    served: ({ jwt, endpoints }) =>
      jwt.algorithm.startsWith('RS') &&
      issuerAddress(jwt.issuer) !== undefined &&
      endpoints?.jwks?.enabled !== false &&
      (endpoints?.jwks?.method ?? 'GET') === 'GET',
  },
};

/** Where the document of an issuer with a path is asked for: behind the well-known path, or in front of it. */
function discoveryBelowIssuer({ jwt }: AuthSettings): readonly string[] {
  const path = issuerAddress(jwt.issuer)?.pathname.replace(/\/$/, '') ?? '';
  if (!/^(\/[A-Za-z0-9._~-]+)+$/.test(path)) return [];
  return [`/.well-known/oauth-authorization-server${path}`, `${path}/.well-known/openid-configuration`];
}

/** An endpoint where the configuration has it served. */
export interface PlacedEndpoint {
  readonly name: EndpointName;
  readonly method: string;
  readonly path: string;
  /** What it reads of its body. */
  readonly body: BodySpec;
}

/** Every endpoint that is served, with its other spellings where it was not moved. */
export function placedEndpoints(settings: AuthSettings): readonly PlacedEndpoint[] {
  const single = Object.entries(usualPlaces).flatMap(([word, usual]) => {
    const name = word as keyof typeof usualPlaces;
    const written = writtenOf(name, settings);
    if (written?.enabled === false || usual.served?.(settings) === false) return [];
    const prefix = usual.absolute === true ? '' : settings.prefix;
    const method = written?.method ?? usual.method;
    const paths =
      written?.path === undefined
        ? [usual.path, ...(usual.aliases ?? []), ...(usual.following?.(settings) ?? [])]
        : [written.path];
    return paths.map((place) => {
      const [way, path] = typeof place === 'string' ? [method, place] : place;
      return { name, method: way, path: prefix + path, body: endpointBodies[name] };
    });
  });
  return [...single, ...providerPlaces('social', settings), ...providerPlaces('sso', settings)];
}

/** Where browsers come back to from providers, and beside it where they begin. One provider posts its answer. */
function providerPlaces(family: 'social' | 'sso', settings: AuthSettings): readonly PlacedEndpoint[] {
  const written = settings.endpoints?.[`${family}_callback`];
  if (!hasProviders(settings) || written?.enabled === false) return [];
  const path = settings.prefix + (written?.path ?? `/${family}/callback`);
  const beside = path.slice(0, path.lastIndexOf('/'));
  const posted = family === 'social' && settings.social?.device_idp !== undefined;
  const body = {};
  return [
    { name: `${family}_start`, method: 'GET', path: `${beside}/:provider`, body },
    { name: `${family}_callback`, method: 'GET', path, body },
    ...(posted ? [{ name: `${family}_callback`, method: 'POST', path, body } as const] : []),
  ];
}

function writtenOf(name: keyof typeof usualPlaces, { endpoints }: AuthSettings) {
  return endpoints?.[name] ?? (name === 'password_forgot' ? endpoints?.forgot_password : undefined);
}
