import { describe, expect, test } from 'vitest';
import { serve } from '../../../plan/testing/service.ts';

const flow = (body: string, operation = 'POST /x') => `flow "f" {
  from {
    connector = "api"
    operation = "${operation}"
  }
  ${body}
}`;

describe('a transform', () => {
  test('R-21: gives the same answer every time, and a field sees those above it', async () => {
    const service = await serve(
      flow(`transform {
    z = "input.a + 1"
    a = "output.z * 2"
    m = "output.a + output.z"
  }`),
    );
    const answers = new Set<string>();
    for (let round = 0; round < 1000; round++) {
      const outcome = service.deliver('f', { a: 2 });
      answers.add(JSON.stringify(outcome, (_, value) => (typeof value === 'bigint' ? Number(value) : value)));
    }
    expect([...answers]).toEqual(['{"kind":"reply","value":{"z":3,"a":6,"m":9}}']);
    expect(service.engine.parseCount).toBe(3);
  });

  test('overrides the definitions that it uses with its own fields, which keep their positions', async () => {
    const service = await serve(
      `transform "base" {
  a = "1"
  b = "output.a + 1"
}
transform "more" {
  b = "output.a + 10"
  c = "output.b"
}
${flow('transform {\n    use = ["transform.base", "more"]\n    a = "5"\n    d = "output.c"\n  }')}`,
    );
    expect(service.deliver('f')).toMatchObject({ value: { a: 5n, b: 15n, c: 15n, d: 15n } });
  });

  test('names the field that fails', async () => {
    const service = await serve(flow('transform {\n    a = "1"\n    total = "input.price * 2"\n  }'));
    expect(() => service.deliver('f')).toThrow(
      expect.objectContaining({
        message: 'transform: total: no such key: price',
        at: { flow: 'f', stage: 'transform' },
      }),
    );
  });

  test('reads enrichments, the later of one name replacing the earlier', async () => {
    const service = await serve(
      `transform "priced" {
  enrich "price" {
    connector = "peer"
    operation = "GET /base"
  }
  price = "enriched.price.n + enriched.stock.n"
}
${flow(`enrich "stock" {
    connector = "db"
    operation = "stock"
    params { sku = "input.sku" }
  }
  transform {
    use = "priced"
    enrich "price" {
      connector = "peer"
      operation = "GET /prices/:sku"
      params { sku = "input.sku" }
    }
  }`)}`,
      { answer: ({ connector }) => (connector === 'db' ? { rows: [{ n: 1n }] } : { value: { n: 2 } }) },
    );
    expect(service.deliver('f', { sku: 's' })).toMatchObject({ value: { price: 3 } });
    expect(
      service.calls.map(({ description: d, filters, params }) => [d.verb, d.operation, d.target, filters, params]),
    ).toEqual([
      ['read', undefined, 'stock', { sku: 's' }, undefined],
      ['call', 'GET /prices/:sku', undefined, undefined, { sku: 's' }],
    ]);
  });

  test('without a destination and a transform, enrichments change nothing: the answer is the message', async () => {
    const service = await serve(flow('enrich "a" {\n    connector = "db"\n    operation = "t"\n  }'), {
      answer: () => ({ rows: [] }),
    });
    expect(await service.deliver('f', { x: 1, headers: { host: 'a' } })).toMatchObject({ value: { x: 1 } });
  });

  test('keeps names that have a meaning elsewhere as fields', async () => {
    const service = await serve(
      flow('transform {\n    __proto__ = "{\'polluted\': true}"\n    constructor = "1"\n  }'),
    );
    const outcome = service.deliver('f') as unknown as { value: Record<string, unknown> };
    expect(Object.keys(outcome.value)).toEqual(['__proto__', 'constructor']);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });
});
