import { block, cel, duration, oneOf, reference } from '@svc/protocol/schema';
import { dropPolicies } from '../from/spec.ts';

const fingerprint = {
  doc: 'What is compared: every field that is written to the destination and may change. The order of list elements does not count; null, an absent field and an empty text are three different values.',
  fields: cel('A value that is compared; a path that leads nowhere counts as absent.', { reads: ['input', 'output'] }),
} as const;

export const dedupe = block({
  doc: 'Drops a message whose content is what was written last for its key. It stands behind the transform and before the destinations; the content is remembered once they have succeeded.',
  reusable: true,
  definitionNeeds: ['cache', 'key'],
  attributes: {
    cache: reference('The cache connector that remembers fingerprints.', 'storage', { required: true }),
    key: cel('Says which thing the message is about. A message without a key fails.', {
      required: true,
      reads: ['input'],
      decides: true,
      example: '"input.id"',
    }),
    ttl: duration('How long a fingerprint is remembered; without it, as the connector says.', { min: 1 }),
    on_duplicate: oneOf('What happens to a message that changes nothing.', dropPolicies, { default: 'ack' }),
    compare_when: cel(
      'Only while this is true is the message compared; otherwise it counts as changed. One that cannot be evaluated is warned about, and the message is handled.',
      { reads: ['input', 'output'], gives: 'bool' },
    ),
    scope: oneOf('`process` accepts that each worker remembers on its own.', ['process']),
  },
  blocks: {
    fingerprint: block(fingerprint),
    facet: block({
      doc: 'A part of the message that is remembered by itself. Destinations that name it are written only when it changed.',
      label: { name: 'name', doc: 'What `facet` of a destination refers to.' },
      repeated: true,
      blocks: { fingerprint: block({ ...fingerprint, required: true }) },
    }),
  },
  rules: [{ rule: 'exactlyOneOf', names: ['fingerprint', 'facet'] }],
  example:
    'dedupe {\n  cache = "memory"\n  key   = "input.id"\n  ttl   = "30d"\n\n  fingerprint {\n    price = "output.price"\n    stock = "output.stock"\n  }\n}',
});
