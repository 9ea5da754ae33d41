import { block, cel, map, oneOf, text } from '@svc/protocol/schema';

const answer = { reads: ['status', 'body'], mustCompile: true } as const;

/** A service that knows credentials which this one has not made. */
export const provider = block({
  doc: 'Asks another service over HTTP who a bearer credential belongs to that is not a token of this one.',
  label: { name: 'name', doc: 'Its name, which callers have as `auth.claims.auth_provider`.' },
  repeated: true,
  attributes: {
    type: oneOf('How it is asked.', ['http'], { required: true }),
    validate: text('Address that is asked with GET; `{token}` in its path or query is the credential, encoded.', {
      required: true,
      pattern: { source: '^https?://', says: 'must start with https:// or http://' },
      example: '"https://id.example.test/validate?token={token}"',
    }),
    request: map('Headers of the request; `{token}` in a value is the credential.', text('Value.', { secret: true }), {
      secret: true,
      example: '{ Authorization = "Bearer {token}" }',
    }),
    sync_to: text('Accepted for older configurations, and of no effect: a warning says so.'),
  },
  blocks: {
    response: block({
      doc: 'What its answer says of the caller, by expressions over `status`, the HTTP status, and `body`, the JSON object: empty where the answer is anything else.',
      required: true,
      attributes: {
        success: cel('Whether the credential is accepted: by `true` and nothing else.', {
          ...answer,
          required: true,
          gives: 'bool',
          example: '"status == 200 && body.active == true"',
        }),
        user_id: cel('The caller, as `auth.user_id`; one that is empty is refused.', {
          ...answer,
          required: true,
          example: '"body.sub"',
        }),
        email: cel('Its address, as `auth.email`.', { ...answer, example: '"body.email"' }),
        roles: cel('Its roles, as `auth.roles`: a list of texts, or a text with commas.', {
          ...answer,
          example: '"body.roles"',
        }),
        token: cel('What its session is called there, as `auth.claims.session_token`.', {
          ...answer,
          example: '"body.session"',
        }),
      },
    }),
  },
  example:
    'provider "company" {\n  type     = "http"\n  validate = "https://id.example.test/introspect"\n  request = {\n    Authorization = "Bearer {token}"\n  }\n  response {\n    success = "status == 200 && body.active == true"\n    user_id = "body.sub"\n    roles   = "body.roles"\n  }\n}',
});
