import type { Proof } from './proof.ts';

const peers = 'runtime/src/platform/net/tls.test.ts';
const verified: Proof = [peers, 'S-87: a peer is verified by authority and name, and presents what it is asked for'];

/** The `tls` block of clients, which all read with the same code. */
export const tls: Readonly<Record<string, Proof>> = {
  'tls.enabled': [peers, 'a disabled block has no effect'],
  'tls.ca_cert': verified,
  'tls.cert': verified,
  'tls.key': verified,
  'tls.server_name': verified,
  'tls.insecure_skip_verify': [peers, 'S-79: skipped verification works, and warns in staging and production only'],
};

const engineOverTls: Proof = ['runtime/src/connectors/search/client/tls.test.ts', 'is asked with %s'];
export const searchTls: Readonly<Record<string, Proof>> = {
  ...Object.fromEntries(Object.keys(tls).map((name) => [name, engineOverTls])),
  'tls.enabled': [
    'runtime/src/connectors/search/client/tls.test.ts',
    'is not asked with %s, and no credentials are sent',
  ],
};
