import { block, cel, lifetime, oneOf, reference } from '@svc/protocol/schema';
import { dropPolicies } from '../from/spec.ts';

const fingerprint = {
  doc: 'What is compared: every field that is written to the destination and may change. The order of list elements does not count; null, an absent field and an empty text are three different values.',
  fields: cel('A value that is compared; a path that does not exist counts as absent.', { reads: ['input', 'output'] }),
} as const;

export const dedupe = block({
  doc: 'Drops a message whose content equals what was written last for its key. It runs after the transform and before the destinations; the content is stored once they have succeeded.',
  reusable: true,
  definitionNeeds: ['cache', 'key'],
  attributes: {
    cache: reference('The cache connector that keeps fingerprints.', 'storage', { required: true }),
    key: cel('Identifies the object that the message is about. A message without a key fails.', {
      required: true,
      reads: ['input'],
      decides: true,
      example: '"input.id"',
    }),
    ttl: lifetime('How long a fingerprint is kept; by default as set in the connector.', { min: 1 }),
    on_duplicate: oneOf('What happens to a message that changes nothing.', dropPolicies, { default: 'ack' }),
    compare_when: cel(
      'The message is compared only when this is true; otherwise it counts as changed. A condition that cannot be evaluated causes a warning, and the message is handled.',
      { reads: ['input', 'output'], gives: 'bool' },
    ),
    scope: oneOf('`process` accepts that each worker keeps fingerprints of its own.', ['process']),
  },
  blocks: {
    fingerprint: block(fingerprint),
    facet: block({
      doc: 'A part of the message whose fingerprint is kept separately. Destinations that name it are written only when it changed.',
      label: { name: 'name', doc: 'What `facet` of a destination refers to.' },
      repeated: true,
      blocks: { fingerprint: block({ ...fingerprint, required: true }) },
    }),
  },
  rules: [{ rule: 'exactlyOneOf', names: ['fingerprint', 'facet'] }],
  example:
    'dedupe {\n  cache = "memory"\n  key   = "input.id"\n  ttl   = "30d"\n\n  fingerprint {\n    price = "output.price"\n    stock = "output.stock"\n  }\n}',
});
