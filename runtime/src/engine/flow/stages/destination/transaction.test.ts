import { describe, expect, test } from 'vitest';
import { Failure } from '../../../../foundation/errors/failure.ts';
import { serve, type TestOptions } from '../../../plan/testing/service.ts';

const run = async (body: string, input: Readonly<Record<string, unknown>>, options: TestOptions = {}) => {
  const service = await serve(
    `flow "f" {
  from {
    connector = "api"
    operation = "POST /orders"
  }
  transform { customer = "upper(input.customer)" }
  to {
    connector = "db"
    transaction {
      ${body}
    }
  }
}`,
    options,
  );
  const outcome = await Promise.resolve()
    .then(() => service.deliver('f', { customer: 'ann', ...input }))
    .then(
      (reply) => (reply as { value: unknown }).value,
      (error: Error) => error.message,
    );
  return { outcome, events: service.events, statements: service.statements, parsed: service.engine.parseCount };
};

const order = `exec {
        query   = "INSERT INTO orders (customer) VALUES (:c)"
        params  = { c = "output.customer" }
        capture = "order_id"
      }`;
const lines = `each "line" in "input.lines" {
        exec {
          query  = "INSERT INTO lines (order_id, pos, sku) VALUES (:o, :p, :s)"
          params = { o = "captured.order_id", p = "line_index", s = "line.sku" }
          when   = "line.qty > 0"
        }
      }`;

describe('a transaction', () => {
  test.each([
    ['a mistake of the caller', 'value_refused', 'refused'],
    ['what the caller left out', 'parameters_invalid', 'refused'],
    ['an unavailable database', 'connector_refused', 'error'],
    ['a broken constraint', 'constraint_violated', 'error'],
  ] as const)('%s is counted as such', async (_, code, end) => {
    const answer = () => {
      throw new Failure(code, 'no');
    };
    const { events } = await run(order, {}, { answer });
    expect(events.filter(([kind]) => kind === 'call')).toEqual([['call', 'db', 'store', 'write', end]]);
  });

  test('counts its updates and deletes that found no row, once it has committed', async () => {
    const exec = (query: string) => `exec {\n        query = "${query}"\n      }\n`;
    const work =
      exec('UPDATE a SET n = 1') + exec('DELETE FROM b') + exec('INSERT INTO c SELECT 1') + exec('UPDATE d SET n = 1');
    const { outcome, events } = await run(
      work,
      {},
      { answer: ({ description: { query = '' } }) => ({ affected: query.includes(' d ') ? 2 : 0 }) },
    );
    expect(outcome).toEqual({ affected: 2, captured: {} });
    expect(events.filter(([kind]) => kind === 'unmatched')).toEqual([
      ['unmatched', 'f', 'db'],
      ['unmatched', 'f', 'db'],
    ]);
  });

  test('runs its statements in written order, once per element, and answers what it did', async () => {
    const total = 'exec {\n        query   = "SELECT count(*) FROM lines"\n        capture = "count"\n      }';
    const { outcome, statements, parsed } = await run(
      `${order}\n      ${lines}\n      ${total}`,
      {
        lines: [
          { sku: 'a', qty: 1 },
          { sku: 'b', qty: 0 },
          { sku: 'c', qty: 2 },
        ],
      },
      {
        answer: ({ description }) =>
          description.query?.startsWith('SELECT') ? { rows: [{ n: 2n, x: 0 }] } : { affected: 1, id: 7n },
      },
    );
    expect(statements).toEqual([
      ['INSERT INTO orders (customer) VALUES (:c)', { c: 'ANN' }],
      ['INSERT INTO lines (order_id, pos, sku) VALUES (:o, :p, :s)', { o: 7n, p: 0n, s: 'a' }],
      ['INSERT INTO lines (order_id, pos, sku) VALUES (:o, :p, :s)', { o: 7n, p: 2n, s: 'c' }],
      ['SELECT count(*) FROM lines', {}],
      'commit',
    ]);
    expect(outcome).toEqual({ affected: 3, captured: { order_id: 7n, count: 2n } });
    expect(parsed).toBe(7);
  });

  test('a statement that inserts no row captures the last key of this run, else null', async () => {
    const exec = (query: string, name: string) => `exec {\n query = "${query}"\n capture = "${name}"\n }`;
    const changed = exec('UPDATE orders SET a = 1', 'changed');
    const bodies = [
      [
        exec('INSERT INTO orders DEFAULT VALUES', 'made'),
        exec('INSERT INTO orders SELECT 1 WHERE 1 = 0', 'none'),
        changed,
      ],
      ['exec {\n query = "INSERT INTO orders DEFAULT VALUES"\n }', changed],
      [changed, exec('DELETE FROM orders', 'gone')],
      [exec('WITH x AS (SELECT 1) INSERT INTO orders SELECT * FROM x', 'made')],
      [exec('SELECT id FROM orders', 'found')],
    ];
    const captured: unknown[] = [];
    for (const body of bodies) {
      const { outcome } = await run(
        body.join('\n'),
        {},
        {
          answer: ({ description: { query = '' } }) => {
            if (query.startsWith('SELECT')) return { rows: [] };
            if (!query.includes('INSERT')) return { affected: 1 };
            return query.includes('1 = 0') ? { affected: 0, id: null } : { affected: 1, id: 7n };
          },
        },
      );
      captured.push(outcome);
    }
    expect(captured).toEqual([
      { affected: 2, captured: { made: 7n, none: null, changed: 7n } },
      { affected: 2, captured: { changed: 7n } },
      { affected: 2, captured: { changed: null, gone: null } },
      { affected: 1, captured: { made: 7n } },
      { affected: 0, captured: { found: null } },
    ]);
  });

  test.each([[{}], [{ lines: null }], [{ lines: [] }]])(
    'loops over nothing when the list is absent: %j',
    async (input) => {
      const { outcome, statements } = await run(`${order}\n      ${lines}`, input, {
        answer: () => ({ affected: 1, id: 1n }),
      });
      expect(outcome).toEqual({ affected: 1, captured: { order_id: 1n } });
      expect(statements).toHaveLength(2);
    },
  );

  test.each([
    ['a text', { lines: 'abc' }, 'to "db": transaction: each "line" needs a list, not a text'],
    ['an object', { lines: { sku: 'a' } }, 'to "db": transaction: each "line" needs a list, not an object'],
  ])('R-24: undoes everything when the value of a loop is %s', async (_title, input, message) => {
    const { outcome, statements } = await run(`${order}\n      ${lines}`, input);
    expect(outcome).toBe(message);
    expect(statements.at(-1)).toBe('rollback');
    expect(statements).toHaveLength(2);
  });

  test('R-24: undoes everything when an expression over the list fails', async () => {
    const { outcome, statements } = await run(
      `${order}\n      ${lines.replace('"input.lines"', '"input.lines.map(l, l.inner)"')}`,
      { lines: [{}] },
    );
    expect(outcome).toContain('each "line": no such key: inner');
    expect(statements.at(-1)).toBe('rollback');
  });

  test('undoes everything when a statement fails, and retries the whole', async () => {
    let tries = 0;
    const service = await serve(
      `flow "f" {
  from {
    connector = "api"
    operation = "POST /orders"
  }
  to {
    connector = "db"
    transaction {
      exec { query = "INSERT INTO a DEFAULT VALUES" }
      exec { query = "INSERT INTO b DEFAULT VALUES" }
    }
  }
  error_handling {
    retry {
      attempts = 2
      delay    = "1ms"
    }
  }
}`,
      {
        answer: ({ description }) => {
          if (description.query?.includes(' b ') && tries++ === 0) throw new Failure('connector_failed', 'deadlock');
          return { affected: 1 };
        },
      },
    );
    expect(await service.deliver('f')).toMatchObject({ value: { affected: 2, captured: {} } });
    expect(service.statements.filter((each) => typeof each === 'string')).toEqual(['rollback', 'commit']);
    expect(service.statements).toHaveLength(6);
  });

  test('sees the elements of the loops around it', async () => {
    const { statements } = await run(
      `each "order" in "input.orders" {
        each "line" in "order.lines" {
          exec {
            query  = "INSERT INTO t VALUES (:a, :b, :c)"
            params = { a = "order.id", b = "line", c = "string(order_index) + '/' + string(line_index)" }
          }
        }
      }`,
      { orders: [{ id: 1, lines: ['x', 'y'] }, { id: 2 }, { id: 3, lines: ['z'] }] },
    );
    expect(statements).toEqual([
      ['INSERT INTO t VALUES (:a, :b, :c)', { a: 1, b: 'x', c: '0/0' }],
      ['INSERT INTO t VALUES (:a, :b, :c)', { a: 1, b: 'y', c: '0/1' }],
      ['INSERT INTO t VALUES (:a, :b, :c)', { a: 3, b: 'z', c: '2/0' }],
      'commit',
    ]);
  });
});
