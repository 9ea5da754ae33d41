import type { Proof } from './proof.ts';

const file = 'runtime/src/connectors/client-authentication.test.ts';

/** How clients of OAuth prove themselves, of those that fetch tokens for themselves. */
export const fetchingClient: Readonly<Record<string, Proof>> = {
  'auth.client_auth': [file, 'accepts %s by %s'],
  'auth.client_key': [file, 'accepts %s by %s'],
};

const account: Proof = [file, 'accepts the %s driver of oauth by %s, for a code and for a refresh token'];

/** The same of those that fetch them for people. */
export const accountClient: Readonly<Record<string, Proof>> = { client_auth: account, client_key: account };

const host: Proof = [file, 'is asked by the code host driver of oauth as a client of %s'];
export const codeHostClient: Readonly<Record<string, Proof>> = { client_auth: host, client_key: host };
