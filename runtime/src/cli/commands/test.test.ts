import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { inDirectory, typed } from '../testing/typed.ts';

const service = `connector "api" {
  type = "rest"
  port = 0
}
connector "db" {
  type     = "database"
  driver   = "sqlite"
  database = "orders.db"
}
`;
const flow = `flow "create_order" {
  from {
    connector = "api"
    operation = "POST /orders"
  }
  transform {
    total = "input.quantity * input.unit_price"
  }
  to {
    connector = "db"
    target    = "orders"
  }
}
`;
const written = (name: string, total: number) => `test "${name}" {
  flow  = "create_order"
  input = { quantity = 2, unit_price = 5 }
  expect {
    call "db" {
      params = { total = ${total} }
    }
  }
}
`;
const files = (tests: string) => ({ 'service.hcl': service, 'flow.hcl': flow, 'tests/orders.hcl': tests });

describe('svc test', () => {
  test('says how many passed', () =>
    inDirectory(files(written('a total', 10)), async (directory) => {
      const { status, out, error } = await typed(['test', directory]);
      expect([status, error]).toEqual([0, '']);
      expect(out).toMatch(/^1 passed in \d+ ms\n$/);
    }));

  test('shows what differs, the rule that gave it, what it read, and the calls', () =>
    inDirectory(files(written('a total', 12) + written('right', 10)), async (directory) => {
      const { status, out } = await typed(['test', directory]);
      expect(status).toBe(1);
      expect(out.replace(/\d+ ms/, 'N ms')).toBe(`failed a total  tests/orders.hcl:1:1
  call "db": params.total  expected at tests/orders.hcl:6:26
    expected  12
    actual    10
    from      create_order › transform › total  flow.hcl:7:13
      7 |     total = "input.quantity * input.unit_price"
        |             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      = input.quantity = 2
      = input.unit_price = 5
  calls
    db: INSERT orders {"total":10} → 1 affected (no mock)

1 failed, 1 passed in N ms
`);
    }));

  test('writes JSON and JUnit, also into a file', () =>
    inDirectory(files(written('a <total>', 12) + written('right', 10)), async (directory) => {
      const json = JSON.parse((await typed(['test', directory, '--format', 'json', '--coverage'])).out);
      expect(json).toMatchObject({
        passed: false,
        summary: { total: 2, run: 2, passed: 1, failed: 1 },
        tests: [
          {
            name: 'a <total>',
            flow: 'create_order',
            at: { file: 'tests/orders.hcl', line: 1, column: 1 },
            passed: false,
            problems: [
              {
                subject: 'call "db": params.total',
                expected: '12',
                actual: '10',
                rule: {
                  stage: 'transform',
                  target: 'total',
                  inputs: { 'input.quantity': '2', 'input.unit_price': '5' },
                  at: { file: 'flow.hcl', line: 7, column: 13 },
                },
              },
            ],
          },
          { name: 'right', passed: true, problems: [] },
        ],
        coverage: { flows: { covered: 1, total: 1 }, rules: { covered: 1, total: 1 }, gaps: [] },
      });
      const result = await typed(['test', directory, '--format', 'junit', '--output', 'report.xml'], directory);
      expect([result.status, result.out]).toEqual([1, '']);
      const xml = readFileSync(join(directory, 'report.xml'), 'utf8').replace(/time="[\d.]+"/g, 'time="T"');
      expect(xml).toContain('<testsuites name="svc" tests="2" failures="1" time="T">');
      expect(xml).toContain(
        '<testcase name="a &lt;total&gt;" classname="create_order" file="tests/orders.hcl" time="T">',
      );
      expect(xml).toContain('<failure message="call &quot;db&quot;: params.total: expected 12, got 10">');
    }));

  test('reports how much the tests reach', () =>
    inDirectory(files(written('a total', 10)), async (directory) => {
      const { out } = await typed(['test', directory, '--coverage']);
      expect(out).toContain('coverage\n  flows                100%  1 of 1\n');
    }));

  test('fails without tests, without one that fits, and with a configuration that has errors', async () => {
    await inDirectory({ 'service.hcl': service, 'flow.hcl': flow }, async (directory) => {
      const { status, error } = await typed(['test', directory]);
      expect([status, error]).toEqual([1, expect.stringContaining('there is no test below')]);
    });
    await inDirectory(files(written('a total', 10)), async (directory) => {
      const { status, error } = await typed(['test', directory, '--filter', 'nothing']);
      expect([status, error]).toEqual([1, 'svc test: no test of 1 has this in its name or file\n']);
    });
    await inDirectory(files(written('a total', 10).replace('create_order', 'create_ordr')), async (directory) => {
      const { status, out, error } = await typed(['test', directory]);
      expect([status, out]).toEqual([1, '']);
      expect(error).toContain('error[unknown-flow]: there is no flow named "create_ordr"');
    });
  });

  test('refuses wrong usage', async () => {
    expect((await typed(['test', '/nowhere/at/all'])).status).toBe(2);
    expect((await typed(['test', '--format', 'xml'])).status).toBe(2);
  });

  test('the tests of the example pass', async () => {
    const { status, out } = await typed(['test', join(import.meta.dirname, '../../../../examples/orders')]);
    expect([status, out]).toEqual([0, expect.stringMatching(/^12 passed in \d+ ms\n$/)]);
  });
});
