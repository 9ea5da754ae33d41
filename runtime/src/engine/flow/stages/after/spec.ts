import { block, cel, list, reference, template } from '@svc/protocol/schema';

const reads = ['input', 'output', 'step'];

export const after = block({
  doc: 'What happens once the flow has succeeded.',
  blocks: {
    invalidate: block({
      doc: 'Drops answers from a cache.',
      required: true,
      attributes: {
        storage: reference('The cache connector.', 'storage', { required: true }),
        keys: list('Keys to drop: texts with `${…}` parts.', template('A key.', { reads })),
        patterns: list('Keys to drop, with `*` and `?`: texts with `${…}` parts.', template('A pattern.', { reads })),
        keys_from: cel('Gives a list of keys to drop.', { reads, gives: 'list' }),
        patterns_from: cel('Gives a list of patterns to drop.', { reads, gives: 'list' }),
      },
      rules: [{ rule: 'atLeastOneOf', names: ['keys', 'patterns', 'keys_from', 'patterns_from'] }],
    }),
  },
  example: 'after {\n  invalidate {\n    storage = "memory"\n    keys    = ["order:${input.id}"]\n  }\n}',
});
