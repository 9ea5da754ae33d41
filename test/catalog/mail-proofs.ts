import type { Proof } from './proof.ts';

const folder = 'runtime/src/connectors/notify/email';
const suite = 'runtime/src/connectors/notify/testing/channel-conformance.ts';
const letters = `${folder}/letters.test.ts`;
const connections = `${folder}/smtp/connection.test.ts`;
const composed = `${folder}/smtp/compose.test.ts`;
const providers = `${folder}/providers.test.ts`;

const sender: Proof = [
  letters,
  'the sender is that of the letter, else that of the connector, and so are its name and where answers go',
];

/** What every connector of mail says. */
const letter: Readonly<Record<string, Proof>> = {
  timeout: [connections, 'R-79: fails where there is no server, where it says nothing, and where it is another one'],
  from: sender,
  from_name: sender,
  reply_to: sender,
  template: [letters, 'are those of the folder, which a letter names below it or as the connector does'],
  'action.to': [suite, 'an action says the addressee of messages without one'],
  'action.template': [letters, 'are those that an action names, where the letter does not name one'],
  attachments_from: [letters, 'are texts, base64, documents, uploads, and files of a connector'],
  max_attachments: [letters, 'S-54: %s is refused, and nothing is sent'],
};

const encrypted: Proof = [connections, 'with %s letters and credentials are encrypted'];
const otherName: Proof = [
  connections,
  'server_name is the name that is looked for, and insecure_skip_verify takes any certificate',
];
const client: Proof = [connections, 'a client certificate is presented'];
const signed: Proof = [composed, 'a letter is signed, and the key may be in a file or written'];

export const smtp: Readonly<Record<string, Proof>> = {
  ...letter,
  host: encrypted,
  port: encrypted,
  username: encrypted,
  password: encrypted,
  pool_size: [connections, 'at most pool_size of them are made, and every letter gets its turn'],
  'tls.mode': encrypted,
  'tls.ca_cert': encrypted,
  'tls.cert': client,
  'tls.key': client,
  'tls.server_name': otherName,
  'tls.insecure_skip_verify': otherName,
  'dkim.domain': signed,
  'dkim.selector': signed,
  'dkim.private_key': signed,
};

const request: Proof = [providers, 'a letter is one request with its parts, and the key'];
const inRegion: Proof = [providers, 'a letter is one request with its parts, signed for the region'];

export const sendgrid: Readonly<Record<string, Proof>> = { ...letter, api_key: request, api_url: request };

export const ses: Readonly<Record<string, Proof>> = {
  ...letter,
  region: inRegion,
  access_key_id: inRegion,
  secret_access_key: inRegion,
  configuration_set: inRegion,
  api_url: inRegion,
};
