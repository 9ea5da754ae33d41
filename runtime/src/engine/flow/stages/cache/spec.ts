import { block, cel, lifetime, list, oneOf, reference, template, text } from '@svc/protocol/schema';

export const codecs = ['json', 'base64', 'gzip'] as const;

export const cache = block({
  doc: 'Keeps the answers of a reading flow. A hit skips everything after the gates.',
  reusable: true,
  definitionNeeds: ['storage'],
  attributes: {
    storage: reference('The cache connector.', 'storage', { required: true }),
    ttl: lifetime('How long an answer is kept; by default as set in the connector.', { min: 1 }),
    key: template(
      'Key of an answer: text with `${…}` parts, in whose values `: * ? [ ] %` and backslashes are percent-encoded, so that no value can imitate another key. Without it, the flow, its whole input and the caller are the key.',
      {
        reads: ['input'],
        example: '"order:${input.id}"',
      },
    ),
    key_from: cel('Gives the key.', { reads: ['input'], gives: 'string', decides: true }),
    invalidate_on: list(
      'Writes that make answers stale: the name of a flow, or `<target>.created`, `.updated`, `.deleted`, each also with `:<id>`. `*` matches any text; a `${…}` part that the key has too drops only the entries with that value.',
      template('An event.', { reads: ['input'], example: '"orders.*:${input.id}"' }),
    ),
    prefix: text('Prefix of every key, followed by a colon.'),
    scope: oneOf(
      '`shared` permits that every caller gets the answer that another one got: the generated key does not distinguish callers, and a written one does not have to.',
      ['shared'],
    ),
    encoding: list('How answers are stored, `json` first.', oneOf('One codec.', codecs), { default: ['json'] }),
  },
  rules: [
    { rule: 'atMostOneOf', names: ['key', 'key_from'] },
    { rule: 'atMostOneOf', names: ['key_from', 'invalidate_on'] },
  ],
  example: 'cache {\n  storage = "memory"\n  ttl     = "5m"\n  key     = "order:${input.id}"\n}',
});
