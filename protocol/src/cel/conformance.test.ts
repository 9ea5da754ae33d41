import { describe, expect, test } from 'vitest';
import { createCelEngine } from './create-engine.ts';
import gaps from './fixtures/conformance-gaps.json' with { type: 'json' };
import { conformanceCases, difference } from './testing/conformance.ts';
import { testEnvironment } from './testing/environment.ts';

describe('the public conformance suite', () => {
  const engine = createCelEngine({ environment: testEnvironment, dialect: 'strict' });
  const cases = conformanceCases();
  const failures = new Map(
    cases.flatMap((one) => {
      const problem = difference(one, engine);
      return problem === undefined ? [] : [[one.name, `${one.test.expr}  ${problem}`] as const];
    }),
  );

  test('holds the tests it is known to hold', () => {
    expect(cases.length).toBeGreaterThan(1500);
  });

  test('fails exactly the tests that are listed with a reason', () => {
    const unlisted = [...failures].filter(([name]) => !Object.hasOwn(gaps, name));
    expect({
      unlisted: unlisted.map(([name, problem]) => `${name}: ${problem}`),
      stale: Object.keys(gaps).filter((name) => !failures.has(name)),
    }).toEqual({ unlisted: [], stale: [] });
  });

  test('passes at least 99 % of its tests without messages', () => {
    expect(failures.size / cases.length).toBeLessThanOrEqual(0.01);
  });
});
