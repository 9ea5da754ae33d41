import { fetchingClient } from './oauth-proofs.ts';
import type { Proof } from './proof.ts';
import { tls } from './tls-proofs.ts';

const folder = 'runtime/src/connectors/soap';
const calls = `${folder}/client/connector.test.ts`;
const tokens = `${folder}/security/user-name-token.test.ts`;
const kinds: Proof = [tokens, '`passwords = "%s"` takes no other kind'];
const envelopes: Proof = [calls, '%j decides about the envelope'];
const named: Proof = [
  calls,
  'the operation and its action are named, data goes in its order, headers and credentials with it',
];
const bounded: Proof = [
  calls,
  'A-04 S-57 S-79: what no service answers is bounded, typed, and said to be unknown where something may have happened',
];
const credentials: Proof = [calls, '%s goes with every request'];
const fetched: Proof = [calls, 'an access token is fetched for its client, and sent'];
const granted: Proof = ['runtime/src/connectors/http/settings.test.ts', 'is how access tokens are fetched'];
const sent: Proof = [calls, 'a user name token is made for each request, as digest or text'];

/** What a SOAP server says of its answers, and of user name tokens. */
export const soapServer: Readonly<Record<string, Proof>> = {
  element_form: [
    `${folder}/server/connector.test.ts`,
    '`element_form = "%s"` decides about the namespace of what is in an answer, and the WSDL says it',
  ],
  'security.users': [tokens, 'a password comes as digest or text, and is right; what is wrong is never said'],
  'security.passwords': kinds,
  'security.max_age': [tokens, 'a token is taken once, in every spelling of its nonce, and within `max_age` of now'],
  'security.max_nonces': [
    tokens,
    'what is remembered is bounded: further tokens are refused as overload, and taken later',
  ],
};

/** What is written in the block of a SOAP client. */
export const soapClient: Readonly<Record<string, Proof>> = {
  ...tls,
  'to.query_filter': named,
  endpoint: named,
  wsdl: [`${folder}/client/wsdl.test.ts`, 'sends elements, namespaces, actions and the order of parameters as it says'],
  soap_version: envelopes,
  namespace: envelopes,
  element_form: envelopes,
  timeout: bounded,
  max_response: bounded,
  ...fetchingClient,
  'auth.type': credentials,
  'auth.token': credentials,
  'auth.username': credentials,
  'auth.password': credentials,
  'auth.api_key': credentials,
  'auth.api_key_header': credentials,
  'auth.api_key_query': credentials,
  'auth.token_url': fetched,
  'auth.client_id': fetched,
  'auth.client_secret': fetched,
  'auth.scopes': fetched,
  'auth.refresh_token': ['runtime/src/connectors/http/connector.test.ts', 'a peer that keeps refusing is asked twice'],
  'auth.grant_type': granted,
  'security.username': sent,
  'security.password': sent,
  'security.passwords': sent,
};
