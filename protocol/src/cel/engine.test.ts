import { afterEach, describe, expect, test, vi } from 'vitest';
import { createCelEngine } from './create-engine.ts';
import { testEnvironment } from './testing/environment.ts';
import { compile } from './testing/evaluate.ts';
import { bool, string } from './types.ts';

afterEach(() => {
  vi.unstubAllGlobals();
});

describe('the engine', () => {
  test('P-12: equal sources with equal options give one program, parsed once', () => {
    const engine = createCelEngine({ environment: testEnvironment });
    const options = (): { variables: { name: string; type: typeof string }[] } => ({
      variables: [{ name: 'a', type: string }],
    });
    const first = engine.compile("a == 'x'", options());
    expect(engine.compile("a == 'x'", options())).toBe(first);
    expect(engine.compile("a == 'x'", { ...options(), expect: bool })).not.toBe(first);
    expect(engine.parseCount).toBe(2);
    for (let count = 0; count < 500; count++) if (first.ok) first.program.evaluate({ a: 'x' });
    expect(engine.parseCount).toBe(2);
  });

  test('variables may be inherited, and are read again each time', () => {
    const program = compile('input.a + step.b');
    const base = { input: { a: 1 } };
    const activation = Object.create(base, { step: { value: { b: 2 } } }) as object;
    expect([program.evaluate(activation), program.evaluate({ ...base, step: { b: 3 } })]).toEqual([3, 4]);
  });

  test.each([[false], [true]])('works where code may not be generated (generateCode: %s)', (generateCode) => {
    const program = compile('input.items.map(x, x * 2)', undefined, { generateCode });
    const forbidden = vi.fn(() => {
      throw new EvalError('refused');
    });
    vi.stubGlobal('Function', forbidden);
    for (let count = 0; count < 300; count++) expect(program.evaluate({ input: { items: [1] } })).toEqual([2]);
    expect(forbidden).toHaveBeenCalledTimes(generateCode ? 1 : 0);
  });

  test('hot expressions keep their errors, with their places', () => {
    const program = compile('input.a.b > 1 && input.c');
    const outcome = (input: object): unknown => {
      try {
        return program.evaluate({ input });
      } catch (error) {
        return (error as { range: unknown }).range;
      }
    };
    for (let count = 0; count < 300; count++) {
      expect(outcome({ a: { b: 2 }, c: true })).toBe(true);
      expect(outcome({ c: false })).toBe(false);
      expect(outcome({ c: true })).toEqual({ start: 0, end: 7 });
    }
  });

  test('the cost limit can be set', () => {
    const program = compile('input.map(x, x)', undefined, { costLimit: 3 });
    expect(program.evaluate({ input: [1, 2, 3] })).toEqual([1, 2, 3]);
    expect(() => program.evaluate({ input: [1, 2, 3, 4] })).toThrow('too many steps');
  });

  test('a value that is returned belongs to the caller', () => {
    const program = compile("{'list': [1, 2], 'map': {}}");
    const first = program.evaluate({}) as { list: unknown[]; map: Record<string, unknown> };
    first.list.push(3);
    first.map.x = 1;
    expect(program.evaluate({})).toEqual({ list: [1n, 2n], map: {} });
  });

  test('the strict dialect omits the additions', () => {
    const strict = createCelEngine({ environment: testEnvironment, dialect: 'strict' });
    for (const source of ["a ?? 'b'", "default(a, 'b')", "lower('A')", '1 + 1.5', '5.5 % 2.0'])
      expect(strict.compile(source).ok).toBe(false);
  });
});
