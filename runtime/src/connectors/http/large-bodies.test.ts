import { expect, test } from 'vitest';
import { codecOf } from '../../platform/formats/registry.ts';
import { client, failure, recorder, run } from './testing/peer.ts';

test.each(['csv', 'xml'] as const)('A-06: a large body in the format %s is whole, with its length', async (format) => {
  const { url, seen } = await recorder();
  const api = await client({ base_url: url });
  const rows = Array.from({ length: 8_000 }, (_, at) => ({ at, text: `row ${at}` }));
  await run(api, { verb: 'create', target: '/orders', words: { format } }, { payload: { rows } });
  const body = (await codecOf(format)).encode({ rows });
  expect([seen[0]?.body === body, seen[0]?.headers['content-length']]).toEqual([true, String(body.length)]);
});

test('what a workbook cannot hold is a failure, and nothing is sent', async () => {
  const { url, seen } = await recorder();
  const api = await client({ base_url: url });
  const call = { verb: 'create', target: '/orders', words: { format: 'excel' } } as const;
  const rows: unknown[] = Array.from({ length: 8_000 }, (_, at) => ({ at, text: `row ${at}` }));
  for (const payload of [{ rows: [...rows, { text: 'x'.repeat(40_000) }] }, { text: 'x'.repeat(40_000) }])
    expect((await failure(run(api, call, { payload }))).code).toBe('output_invalid');
  expect(seen).toEqual([]);
});
