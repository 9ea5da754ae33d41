import type { Refused as ContractRefused, Recognise, Verifier } from '../../foundation/contracts/http.ts';
import { type Auth, anonymous } from '../../foundation/contracts/message.ts';
import { Failure } from '../../foundation/errors/failure.ts';
import { apiKeyCheck } from './api-key.ts';
import { basicCheck } from './basic.ts';
import { certified } from './certified.ts';
import { type AuthSettings, type CredentialCheck, unauthorized, type VerifierServices } from './credential-check.ts';
import { JwtCheck } from './jwt.ts';

/** Makes the verifier of an `auth` block. */
export function verifierOf(settings: AuthSettings, services: VerifierServices, connector: string): Verifier {
  const credentials = checkOf(settings, services, connector);
  const isPublic = publicPaths(settings.public ?? []);
  const required = settings.required_headers ?? [];
  /** Without keys of its own a block accepts the tokens that the root block accepts. */
  const asksRoot =
    settings.type === 'jwt' && (settings.secret ?? settings.public_key ?? settings.jwks_url) === undefined;
  return {
    responseHeaders: Object.entries(settings.response_headers ?? {}).flat(),
    prepare: async () => credentials.prepare?.(),
    verify(asked, recognise) {
      if (isPublic(asked.path)) return recognised(recognise?.(asked, 'public'), anonymous);
      for (const name of required)
        if (asked.request.headers[name.toLowerCase()] === undefined)
          return { refused: new Failure('input_refused', `missing required header: ${name}`), headers: [] };
      if (asksRoot && recognise !== undefined) return recognised(recognise(asked), unauthorized('Bearer'));
      return credentials.check(asked);
    },
  };
}

function recognised<T>(
  caller: ReturnType<Recognise>,
  otherwise: T,
): Auth | ContractRefused | T | Promise<Auth | ContractRefused | T> {
  return caller instanceof Promise ? caller.then((late) => late ?? otherwise) : (caller ?? otherwise);
}

function checkOf(settings: AuthSettings, services: VerifierServices, connector: string): CredentialCheck {
  switch (settings.type) {
    case 'basic':
      return basicCheck(settings);
    case 'api_key':
      return apiKeyCheck(settings, services, connector);
    case 'jwt':
      return new JwtCheck(settings, services, connector);
    case 'mtls':
      return { check: ({ request: { socket } }) => certified(socket) ?? unauthorized() };
  }
}

/** Exact paths, and everything below those that end in `/*`. */
function publicPaths(paths: readonly string[]): (path: string) => boolean {
  const exact = new Set(paths.filter((path) => !path.endsWith('/*')));
  const below = paths.filter((path) => path.endsWith('/*')).map((path) => path.slice(0, -1));
  return (path) => exact.has(path) || below.some((prefix) => path.startsWith(prefix) && !climbs(path));
}

/** A path with dot segments is never public: the server of the path might resolve them. */
function climbs(path: string): boolean {
  return /(?:^|\/)(?:\.|%2e){1,2}(?:\/|$)/i.test(path);
}
