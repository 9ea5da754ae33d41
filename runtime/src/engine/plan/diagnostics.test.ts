import { expect, test } from 'vitest';
import { deadGates, expressionDiagnostics } from './diagnostics.ts';
import { createExpressionEngine } from './engine.ts';
import { load } from './testing/service.ts';

const configuration = `accept "reused" { when = "input.x ==" }
transform "named" { a = "inptu.id" }
validator "v" {
  type = "cel"
  expr = "vale > 1"
}
flow "f" {
  from {
    connector = "api"
    operation = "GET /x"
    filter    = "false"
  }
  accept { use = "reused" }
  transform {
    use = "named"
    b = "uppper(input.b)"
    c = "input.\\"c\\""
  }
  to {
    connector = "db"
    transaction {
      each "line" in "input.lines" {
        exec {
          query  = "INSERT"
          params = { a = "line.x + line_index", b = "lin.x" }
        }
      }
    }
  }
  cache {
    storage = "memory"
    key     = "k:\${inputs.a}"
  }
}`;

test('expressions that do not compile are warnings at their place, each once, and dead gates are listed', () => {
  const project = load(configuration);
  expect(project.diagnostics).toEqual([]);
  const found = expressionDiagnostics(
    project,
    createExpressionEngine(() => undefined),
  );
  expect(new Set(found.map(({ severity, family }) => `${severity} ${family}`))).toEqual(
    new Set(['warning expression']),
  );
  const shown = found.map(({ code, range, help }) => [code, configuration.slice(range.start, range.end), help ?? '']);
  expect(shown).toEqual([
    ['gate-never-passes', 'input.x ==', expect.any(String)],
    ['invalid-expression', expect.any(String), ''],
    ['invalid-expression', 'inptu', 'Did you mean "input"?'],
    ['gate-never-passes', 'vale > 1', expect.any(String)],
    ['invalid-expression', 'vale', 'Did you mean "value"?'],
    ['gate-never-passes', 'false', expect.any(String)],
    ['invalid-expression', 'uppper', 'Did you mean "upper"?'],
    ['invalid-expression', '"input.\\"c\\""', ''],
    ['invalid-expression', 'lin', expect.any(String)],
    ['invalid-expression', 'inputs', 'Did you mean "input"?'],
  ]);
  expect(deadGates(found)).toHaveLength(3);
});
