import { expectTypeOf, test } from 'vitest';
import { block, type CelSource, cel, duration, flag, list, oneOf, text, type Values } from './index.ts';

test('the type of a decoded block follows from its spec', () => {
  const spec = block({
    doc: 'd',
    attributes: {
      host: text('h', { required: true }),
      user: text('u'),
      qos: oneOf('q', [0, 1, 2], { default: 0 }),
      wait: duration('w', { default: 10 }),
      tags: list('t', text('one')),
      on: flag('o'),
    },
    blocks: {
      tls: block({ doc: 't', attributes: { cert: text('c', { required: true }) } }),
      step: block({
        doc: 's',
        repeated: true,
        label: { name: 'name', doc: 'n' },
        attributes: { when: cel('w', { reads: ['input'] }) },
      }),
      set: block({ doc: 'm', required: true, fields: cel('f', { reads: [], required: true }) }),
    },
  });
  type V = Values<typeof spec>;
  expectTypeOf<V['host']>().toEqualTypeOf<string>();
  expectTypeOf<V['user']>().toEqualTypeOf<string | undefined>();
  expectTypeOf<V['qos']>().toEqualTypeOf<0 | 1 | 2>();
  expectTypeOf<V['wait']>().toEqualTypeOf<number>();
  expectTypeOf<V['tags']>().toEqualTypeOf<readonly string[] | undefined>();
  expectTypeOf<NonNullable<V['tls']>['cert']>().toEqualTypeOf<string>();
  expectTypeOf<V['step'][number]['label']>().toEqualTypeOf<string>();
  expectTypeOf<V['step'][number]['when']>().toEqualTypeOf<CelSource | undefined>();
  expectTypeOf<V['set']['fields'][number]['value']>().toEqualTypeOf<CelSource>();
});
