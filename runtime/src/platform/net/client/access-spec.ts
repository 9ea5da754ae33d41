import { type BodyRule, block, list, oneOf, text, type Values } from '@svc/protocol/schema';
import { clientAuthAttributes, clientAuthRules } from '../oauth/spec.ts';

/** Attributes that have an effect with these types alone. */
function ofTypes(types: readonly string[], names: readonly string[]): readonly BodyRule[] {
  return names.map((name) => ({ rule: 'onlyWhen', name, when: 'type', is: types }));
}

const ofOAuth = [
  'token_url',
  'client_id',
  'client_secret',
  'client_auth',
  'client_key',
  'scopes',
  'refresh_token',
  'grant_type',
];

const rules: readonly BodyRule[] = [
  { rule: 'requiredWhen', name: 'token', when: 'type', is: ['bearer'] },
  { rule: 'requiredWhen', name: 'username', when: 'type', is: ['basic'] },
  { rule: 'requiredWhen', name: 'token_url', when: 'type', is: ['oauth2', 'client_credentials'] },
  { rule: 'requiredWhen', name: 'client_id', when: 'type', is: ['client_credentials'] },
  { rule: 'requiredWhen', name: 'refresh_token', when: 'grant_type', is: ['refresh_token'] },
  ...clientAuthRules,
  { rule: 'together', name: 'client_secret', needs: ['client_id'] },
  { rule: 'together', name: 'client_auth', needs: ['client_id'] },
  ...ofTypes(['bearer', 'api_key'], ['token']),
  ...ofTypes(['api_key'], ['api_key', 'api_key_header', 'api_key_query']),
  ...ofTypes(['oauth2', 'client_credentials'], ofOAuth),
  { rule: 'atMostOneOf', names: ['token', 'api_key'] },
  { rule: 'atMostOneOf', names: ['api_key_header', 'api_key_query'] },
];

/** How requests identify this service (docs/specification/http-client.md#credentials). */
export const authBlock = block({
  doc: 'Credentials that are sent with every request.',
  attributes: {
    type: oneOf('Kind of credentials.', ['bearer', 'basic', 'api_key', 'oauth2', 'client_credentials'], {
      required: true,
      synonyms: { apikey: 'api_key' },
    }),
    token: text('Token of `bearer`, or key of `api_key`.', { secret: true }),
    username: text('User name of `basic`.'),
    password: text('Password of `basic`.', { secret: true, default: '' }),
    api_key: text('Key of `api_key`.', { secret: true }),
    api_key_header: text('Header that carries the key.', { aliases: ['header'], default: 'X-API-Key' }),
    api_key_query: text('Query parameter that carries the key, instead of a header.'),
    token_url: text('Address that access tokens are fetched from.', {
      pattern: { source: '^https?://[^\\s/?#]+(/[^\\s#]*)?$', says: 'must be an http:// or https:// address' },
    }),
    client_id: text('Name of this client at the token address.'),
    client_secret: text('Secret of this client at the token address.', { secret: true }),
    ...clientAuthAttributes,
    scopes: list('Scopes that are asked for.', text('A scope.')),
    refresh_token: text('Token that access tokens are fetched with.', { secret: true }),
    grant_type: oneOf('How access tokens are fetched, when `type` does not say it.', [
      'client_credentials',
      'refresh_token',
    ]),
  },
  rules: [...rules, ...ofTypes(['basic'], ['username', 'password'])],
});

/** The same for a client that answers challenges, too. */
export const challengedAuthBlock = block({
  ...authBlock,
  attributes: {
    ...authBlock.attributes,
    type: oneOf(
      'Kind of credentials. `digest` sends none before the server asks for them, and never the password itself.',
      ['bearer', 'basic', 'api_key', 'oauth2', 'client_credentials', 'digest'],
      { required: true, synonyms: { apikey: 'api_key' } },
    ),
    username: text('User name of `basic` and `digest`.'),
    password: text('Password of `basic` and `digest`.', { secret: true, default: '' }),
  },
  rules: [
    ...rules,
    ...ofTypes(['basic', 'digest'], ['username', 'password']),
    { rule: 'requiredWhen', name: 'username', when: 'type', is: ['digest'] },
  ],
});

export type AuthConfig = Values<typeof challengedAuthBlock>;

/** The headers that every request of a client has. */
export const headersBlock = block({
  doc: 'Headers of every request.',
  fields: text('Value of the header.', { required: true }),
  asAttribute: true,
});

export type HeadersConfig = Values<typeof headersBlock>;
