import type { Proof } from './proof.ts';
import { tls } from './tls-proofs.ts';

const folder = 'runtime/src/connectors/oauth';
const accounts = `${folder}/connector.test.ts`;
const connected: Proof = [accounts, 'at %s is asked, and answered with who it is and its tokens'];
const written: Proof = [accounts, 'scopes, public clients, and addresses of a provider are those that are written'];
const signed: Proof = [
  accounts,
  'at the device maker: the secret is signed, the answer is posted, and the name comes with it',
];
const verified: Proof = [`${folder}/tls.test.ts`, 'is trusted by its authority, by its name, and by no other'];
const presented: Proof = [`${folder}/tls.test.ts`, 'is shown the certificate of this service'];

const clients = 'runtime/src/connectors/client-authentication.test.ts';

/** How clients of OAuth prove themselves, of those that fetch tokens for themselves. */
export const fetchingClient: Readonly<Record<string, Proof>> = {
  'auth.client_auth': [clients, 'accepts %s by %s'],
  'auth.client_key': [clients, 'accepts %s by %s'],
};

const account: Proof = [clients, 'accepts the %s driver of oauth by %s, for a code and for a refresh token'];

/** The same of those that fetch them for people. */
const accountClient: Readonly<Record<string, Proof>> = { client_auth: account, client_key: account };

const host: Proof = [clients, 'is asked by the code host driver of oauth as a client of %s'];
const codeHostClient: Readonly<Record<string, Proof>> = { client_auth: host, client_key: host };

/** What every driver says. */
const provider: Readonly<Record<string, Proof>> = {
  ...Object.fromEntries(Object.keys(tls).map((name) => [name, verified])),
  'tls.cert': presented,
  'tls.key': presented,
  client_id: connected,
  redirect_uri: connected,
  scopes: written,
  storage: [
    `${folder}/attempts.test.ts`,
    'with a state that was never given, is too long or is of another connector is refused',
  ],
  timeout: [`${folder}/failures.test.ts`, 'that %s'],
};

export const webIdp: Readonly<Record<string, Proof>> = {
  ...provider,
  ...accountClient,
  client_secret: connected,
  issuer: connected,
};

export const codeHostIdp: Readonly<Record<string, Proof>> = {
  ...provider,
  ...codeHostClient,
  client_secret: connected,
  auth_url: connected,
  token_url: connected,
  userinfo_url: connected,
  emails_url: connected,
};

export const deviceIdp: Readonly<Record<string, Proof>> = {
  ...provider,
  client_id: signed,
  redirect_uri: signed,
  scopes: [accounts, 'at the device maker asks for the scopes that are written'],
  team_id: signed,
  key_id: signed,
  private_key: signed,
  issuer: signed,
};

export const oidcProvider: Readonly<Record<string, Proof>> = {
  ...provider,
  ...accountClient,
  client_secret: written,
  issuer: connected,
  name: [accounts, 'a certified provider: sign-in, profile and new tokens; a code is good once'],
};

export const writtenProvider: Readonly<Record<string, Proof>> = {
  ...provider,
  ...accountClient,
  client_secret: connected,
  auth_url: connected,
  token_url: connected,
  userinfo_url: [accounts, 'without an address of profiles nothing is known of the person'],
  name: [accounts, 'the numeric id, name and picture of other spellings are read, and a number is exact'],
};
