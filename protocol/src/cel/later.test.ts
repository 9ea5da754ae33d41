import { describe, expect, test } from 'vitest';
import { createCelEngine } from './create-engine.ts';
import type { CelProgram, FunctionImplementation } from './engine.ts';

let calls: unknown[][] = [];
let identities = 0;

const later = (name: string, work: (...args: unknown[]) => unknown, pure = false): FunctionImplementation => ({
  name,
  arity: [0, 1, 2],
  pure,
  later: true,
  invoke: async (args) => {
    calls.push([name, ...args]);
    return work(...args);
  },
});
const functions = [
  later('double', (value) => Number(value) * 2),
  later('fails', () => {
    throw new Error('no answer');
  }),
  later('list', () => ['a', { b: 1 }], true),
];
const engine = createCelEngine({
  environment: { now: () => ++identities, uuid: () => `id-${++identities}`, env: () => undefined, sha256: () => '' },
  costLimit: 10_000,
});

function compile(source: string, waits = true): CelProgram {
  const compiled = engine.compile(source, { functions, waits });
  if (!compiled.ok) throw new Error(compiled.problems.map(({ message }) => message).join());
  return compiled.program;
}

async function evaluate(source: string, activation: object = {}) {
  calls = [];
  identities = 0;
  const outcome = await compile(source)
    .evaluateLater(activation)
    .catch((error: unknown) => (error as Error).message);
  return [outcome, calls];
}

describe('an expression that waits', () => {
  test.each<[string, unknown, unknown[][]]>([
    [
      'double(4) + double(5)',
      18,
      [
        ['double', 4n],
        ['double', 5n],
      ],
    ],
    [
      'double(double(double(1)))',
      8,
      [
        ['double', 1n],
        ['double', 2],
        ['double', 4],
      ],
    ],
    [
      '[1, 2, 3].map(i, double(i))',
      [2, 4, 6],
      [
        ['double', 1n],
        ['double', 2n],
        ['double', 3n],
      ],
    ],
    [
      '[1, 2, 3].exists(i, double(i) == 4.0)',
      true,
      [
        ['double', 1n],
        ['double', 2n],
      ],
    ],
    ['false && double(1) == 2.0', false, []],
    ['true || double(1) == 2.0', true, []],
    ['double(1) == 2.0 || fails() == 1', true, [['double', 1n]]],
    ['fails() == 1 || double(1) == 2.0', 'no answer', [['fails']]],
    ['fails()', 'no answer', [['fails']]],
    ['double(1) + nothing.x', 'no such key: x', [['double', 1n]]],
    ['false ? double(1) : 3', 3n, []],
    [
      '{"a": double(2), "b": [double(3)]}',
      { a: 4, b: [6] },
      [
        ['double', 2n],
        ['double', 3n],
      ],
    ],
    // What varies is asked once, or the attempts would never agree.
    ['string(double(size(uuid()))) + uuid()', '8id-2', [['double', 4n]]],
  ])('%s', async (source, expected, asked) => {
    expect(await evaluate(source, { nothing: {} })).toEqual([expected, asked]);
  });

  test('is known as one, and throws where it is not waited for', () => {
    expect([compile('double(1)').waits, compile('1 + 1').waits]).toEqual([true, false]);
    expect(() => compile('double(1)').evaluate({})).toThrow('the value of double() comes later');
    const refused = engine.compile('double(1)', { functions });
    expect(refused.ok ? [] : refused.problems.map(({ message }) => message)).toEqual([
      'double() is a function of a module, and this place does not wait for its value',
    ]);
  });

  test('of many messages at once has the values of each', async () => {
    const program = compile('string(double(input.a)) + input.b + string(double(input.a + 1.0))');
    const outcomes = Array.from({ length: 50 }, (_, a) => program.evaluateLater({ input: { a, b: '/' } }));
    expect(await Promise.all(outcomes)).toEqual(Array.from({ length: 50 }, (_, a) => `${a * 2}/${a * 2 + 2}`));
  });

  test('calls once what is deterministic and has constant arguments, and shares nothing of it', async () => {
    const program = compile('[list(), double(input), list(), double(input)]');
    calls = [];
    const [first] = (await program.evaluateLater({ input: 1 })) as [unknown[]];
    first.push('changed');
    const second = await program.evaluateLater({ input: 2 });
    expect([second, calls]).toEqual([
      [['a', { b: 1 }], 4, ['a', { b: 1 }], 4],
      [['list'], ['double', 1], ['list'], ['double', 1], ['double', 2], ['double', 2]],
    ]);
  });

  test('S-83: takes a bounded number of calls and steps', async () => {
    const numbers = Array.from({ length: 2_000 }, (_, at) => at);
    const [message, asked] = await evaluate('numbers.map(i, double(i)).size()', { numbers });
    expect(message).toMatch(/too many steps|more than 1000 functions/);
    expect((asked as unknown[]).length).toBeLessThanOrEqual(1_000);
  });
});
