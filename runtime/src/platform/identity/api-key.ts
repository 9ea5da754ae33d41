import type { AuthenticationRequest } from '../../foundation/contracts/http.ts';
import type { Auth } from '../../foundation/contracts/message.ts';
import { knownBy } from './caller.ts';
import { digestOf, positionOf } from './constant-time.ts';
import {
  type AuthSettings,
  type CredentialCheck,
  type Refused,
  unauthorized,
  type VerifierServices,
} from './credential-check.ts';
import { subject } from './subject.ts';

const identityColumns = ['user_id', 'userid', 'user'];

/** Checks a key in a header or query parameter against the keys of the block, or looks it up in a database. */
export function apiKeyCheck(
  settings: Pick<AuthSettings, 'keys' | 'header' | 'query_param' | 'validate'>,
  services: VerifierServices,
  connector: string,
): CredentialCheck {
  const header = (settings.header ?? 'X-API-Key').toLowerCase();
  const { query_param: parameter, validate } = settings;
  const keyOf = ({ request, query }: AuthenticationRequest): string | undefined => {
    const presented = request.headers[header] ?? (parameter === undefined ? undefined : query[parameter]);
    return typeof presented === 'string' && presented !== '' ? presented : undefined;
  };
  if (validate !== undefined) {
    const lookup = lookupOf(validate, services, connector);
    return {
      check: (asked) => {
        const key = keyOf(asked);
        return key === undefined ? unauthorized() : lookup(key);
      },
    };
  }
  const keys = settings.keys ?? [];
  const digests = keys.map(digestOf);
  const callers = keys.map((key) => knownBy(subject('', {}), key));
  return {
    check: (asked) => {
      const key = keyOf(asked);
      return (key === undefined ? undefined : callers[positionOf(key, digests)]) ?? unauthorized();
    },
  };
}

/** One row or more accepts the key; its columns say who calls. */
function lookupOf(
  validate: NonNullable<AuthSettings['validate']>,
  services: VerifierServices,
  connector: string,
): (key: string) => Promise<Auth | Refused> {
  const execute = services.lookup(validate.connector, {
    verb: 'read',
    operation: undefined,
    target: undefined,
    query: validate.query,
    timeout: undefined,
    exact: false,
    flow: '',
    label: `auth of connector "${connector}"`,
  });
  return async (key) => {
    const { rows } = await execute({ params: { key } });
    const row = rows?.[0];
    if (row === undefined) return unauthorized();
    const column = identityColumns.find((name) => row[name] !== undefined && row[name] !== null);
    const claims = Object.fromEntries(Object.entries(row).filter(([name]) => name !== column));
    return knownBy(subject(column === undefined ? '' : String(row[column]), claims), key);
  };
}
