import { block, cel, duration, list, oneOf, reference, template, text } from '@svc/protocol/schema';

export const codecs = ['json', 'base64', 'gzip'] as const;

export const cache = block({
  doc: 'Keeps the answers of a reading flow. A hit skips everything behind the gates.',
  reusable: true,
  definitionNeeds: ['storage'],
  attributes: {
    storage: reference('The cache connector.', 'storage', { required: true }),
    ttl: duration('How long an answer is kept; without it, as the connector says.', { min: 1 }),
    key: template(
      'Key of an answer: text with `${…}` parts, in whose values `: * ? [ ] %` and backslashes are percent-encoded, so that no value can pass for another key. Without it, the flow, its whole input and the caller are the key.',
      {
        reads: ['input'],
        example: '"order:${input.id}"',
      },
    ),
    key_from: cel('Gives the key.', { reads: ['input'], gives: 'string', decides: true }),
    invalidate_on: list(
      'Writes that make answers stale: the name of a flow, or `<target>.created`, `.updated`, `.deleted`, each also with `:<id>`. `*` stands for anything; a `${…}` part that the key has too drops only the entries with that value.',
      template('An event.', { reads: ['input'], example: '"orders.*:${input.id}"' }),
    ),
    prefix: text('Put in front of every key, with a colon.'),
    scope: oneOf(
      '`shared` says that every caller may be told what another one was: the key that is made does not tell callers apart, and one that is written does not have to.',
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
