import type { Values } from '@svc/protocol/schema';
import { type connectorAuth, headerName } from './auth-spec.ts';

/** What is wrong with one attribute of a block, for a diagnostic. */
export interface AuthProblem {
  /** Attribute or block to point at; undefined points at the whole block. */
  readonly at: string | undefined;
  readonly message: string;
  readonly help: string;
}

type Auth = Values<typeof connectorAuth>;

const readBy: Readonly<Record<Auth['type'], readonly string[]>> = {
  jwt: ['secret', 'public_key', 'jwks_url', 'issuer', 'audience', 'algorithms', 'require_exp', 'header', 'scheme'],
  api_key: ['keys', 'header', 'query_param', 'validate'],
  basic: ['users', 'realm'],
  mtls: [],
};
const ofSomeType = new Set(Object.values(readBy).flat());
const asymmetric = /^(RS|PS|ES|Ed)/;

/**
 * What the rules of data cannot say about an `auth` block of a connector. `written` answers whether the author wrote an
 * attribute; `rooted` says whether the service has a root `auth` block that can check tokens, `certified` whether clients
 * must present a certificate.
 */
export function authProblems(
  auth: Auth,
  written: (name: string) => boolean,
  rooted: boolean,
  certified: boolean,
): AuthProblem[] {
  const problems: AuthProblem[] = [];
  // A type that was refused is absent, though required.
  const read = readBy[auth.type] as readonly string[] | undefined;
  if (read === undefined) return problems;
  for (const name of ofSomeType)
    if (written(name) && !read.includes(name))
      problems.push({
        at: name,
        message: `\`${name}\` is not read by auth of type "${auth.type}"`,
        help:
          read.length === 0
            ? 'remove it'
            : `remove it; type "${auth.type}" reads ${read.map((word) => `\`${word}\``).join(', ')}`,
      });
  if (auth.type === 'api_key' && !auth.keys?.length && auth.validate === undefined)
    problems.push({
      at: undefined,
      message: 'auth of type "api_key" has no key to accept',
      help: 'write `keys = [env("API_KEY")]`, or a `validate` block that looks keys up',
    });
  if (auth.type === 'api_key' && auth.keys?.some((key) => key === ''))
    problems.push({
      at: 'keys',
      message: 'an accepted key is empty',
      help: 'set the environment variable it comes from',
    });
  if (auth.type === 'basic' && Object.keys(auth.users ?? {}).length === 0)
    problems.push({
      at: 'users',
      message: 'auth of type "basic" has no user to accept',
      help: 'write `users = { ops = env("OPS_PASSWORD") }`',
    });
  if (auth.type === 'basic' && Object.values(auth.users ?? {}).some((password) => password === ''))
    problems.push({
      at: 'users',
      message: 'a password is empty',
      help: 'set the environment variable it comes from',
    });
  if (auth.type === 'mtls' && !certified)
    problems.push({
      at: 'type',
      message: 'auth of type "mtls" has no certificate to check: clients need not present one',
      help: 'write a `tls` block with `ca_cert` beside it, in a connector whose server speaks TLS (grpc)',
    });
  problems.push(...responseHeaderProblems(auth));
  if (auth.type === 'jwt') problems.push(...jwtProblems(auth, written, rooted));
  return problems;
}

/** Headers that the server writes itself: a second one would contradict the first. */
const ownHeaders =
  /^(connection|content-length|content-type|date|keep-alive|te|trailer|transfer-encoding|upgrade|x-content-type-options)$/i;

function responseHeaderProblems(auth: Auth): AuthProblem[] {
  const problems: AuthProblem[] = [];
  for (const name of Object.keys(auth.response_headers ?? {}))
    if (!new RegExp(headerName).test(name))
      problems.push({
        at: 'response_headers',
        message: `${JSON.stringify(name)} is not the name of a header`,
        help: 'use letters, digits and `-`',
      });
    else if (ownHeaders.test(name))
      problems.push({
        at: 'response_headers',
        message: `the server itself sets the header ${name}`,
        help: 'remove it',
      });
  return problems;
}

function jwtProblems(auth: Auth, written: (name: string) => boolean, rooted: boolean): AuthProblem[] {
  const problems: AuthProblem[] = [];
  const keys = auth.public_key !== undefined || auth.jwks_url !== undefined;
  if (auth.secret === '')
    problems.push({ at: 'secret', message: 'the secret is empty', help: 'set the environment variable it comes from' });
  if (auth.secret === undefined && !keys && !rooted)
    problems.push({
      at: undefined,
      message: 'auth of type "jwt" has nothing to check tokens with',
      help: 'write `secret`, `public_key` or `jwks_url`, or add a root `auth` block',
    });
  for (const algorithm of auth.algorithms ?? []) {
    const needsKey = asymmetric.test(algorithm);
    if (written('algorithms') && (needsKey ? !keys : auth.secret === undefined))
      problems.push({
        at: 'algorithms',
        message: `no key of this block can check ${algorithm}`,
        help: needsKey ? 'write `public_key` or `jwks_url`, or remove it' : 'write `secret`, or remove it',
      });
  }
  return problems;
}
