import { describe, expect, test } from 'vitest';
import { CelError } from './engine.ts';
import { compile, evaluate, failure, problems } from './testing/evaluate.ts';
import { toJson } from './values/json.ts';

const polluted = JSON.parse(
  '{"__proto__": {"isAdmin": true}, "constructor": {"prototype": {"isAdmin": true}}, "a": 1}',
) as object;

describe('S-58: own properties only', () => {
  test.each(['constructor', 'toString', '__proto__', 'hasOwnProperty', '__defineGetter__', 'valueOf'])(
    'input.%s is not a key',
    (name) => {
      expect(failure(`input.${name}`, { input: { a: 1 } })).toMatchObject({ reason: 'no-such-key' });
      expect(failure(`input['${name}']`, { input: { a: 1 } })).toMatchObject({ reason: 'no-such-key' });
      expect(evaluate(`'${name}' in input || has(input.${name})`, { input: { a: 1 } })).toBe(false);
      expect(failure(name, { input: {} })).toMatchObject({ reason: 'no-such-key' });
    },
  );

  test('fields of other objects cannot be reached', () => {
    const values = {
      list: [1],
      text: 'a',
      bytes: new Uint8Array(2),
      map: new Map([['a', 1]]),
      when: new Date(0),
      work: () => 1,
    };
    for (const name of Object.keys(values))
      for (const field of ['length', 'size', 'constructor', 'push', 'getTime', 'call', 'byteLength'])
        expect(() => evaluate(`input.${name}.${field}`, { input: values })).toThrow();
  });

  test('inherited fields of data are absent', () => {
    expect(failure('input.secret', { input: Object.create({ secret: 1 }) as object })).toMatchObject({
      reason: 'no-such-key',
    });
  });

  test('maps of hostile keys stay maps and change nothing else', () => {
    for (const source of [
      "merge(input, {'b': 2})",
      "omit(input, 'a')",
      "pick(input, '__proto__', 'constructor')",
      "{'__proto__': input}",
      'input.transformMap(k, v, v)',
    ]) {
      const result = evaluate(source, { input: polluted }) as Record<string, unknown>;
      expect(result.isAdmin).toBeUndefined();
      expect(JSON.stringify(toJson(result))).toContain('isAdmin');
    }
    expect(({} as Record<string, unknown>).isAdmin).toBeUndefined();
    expect(evaluate("{'a': 1}.constructor ?? 'none'")).toBe('none');
  });
});

describe('S-59: no way out', () => {
  test('names and texts that look like code are data in generated code', () => {
    const names = ['"];throw 1//', "'];throw 1//", '\\"];throw 1//', '`$\\u007b1}`', '\u2028', '*/throw 1/*', '\n'];
    for (const name of names) {
      const quoted = JSON.stringify(name);
      expect(
        evaluate(`input[${quoted}] == ${quoted} && {${quoted}: 1}[${quoted}] == 1 && ${quoted} in [${quoted}]`, {
          input: { [name]: name },
        }),
      ).toBe(true);
    }
  });

  test('the host cannot be called', () => {
    expect(problems("input.constructor.constructor('return process')")).toEqual([
      'error there is no method "constructor" [constructor]',
    ]);
    expect(failure('input.constructor', { input: {} })).toMatchObject({ reason: 'no-such-key' });
  });

  test.each([
    ['input.list.map(a, input.list.map(b, a * b))'],
    ['input.list.all(a, input.list.exists(b, b < 0) || true)'],
    ['input.list.map(a, input.list + [a])'],
    ['input.list.map(a, lists.range(900000))'],
  ])('%s over 10,000 elements is aborted by count, in closures and in generated code', (source) => {
    const program = compile(source);
    const input = { list: Array.from({ length: 10_000 }, (_, at) => at) };
    expect(() => program.evaluate({ input })).toThrow('the expression takes too many steps');
    for (let count = 0; count < 150; count++) program.evaluate({ input: { list: [] } });
    expect(() => program.evaluate({ input })).toThrow('the expression takes too many steps');
  });

  test('texts and lists that double again and again are aborted', () => {
    const doubled = (start: string, result: string): string =>
      `cel.bind(x, ${start}, ${'cel.bind(x, x + x, '.repeat(40)}${result}${')'.repeat(41)}`;
    expect(() => compile(doubled('[input]', 'x')).evaluate({ input: 'a' })).toThrow('too many steps');
    expect(() => compile(doubled('input', 'size(x)')).evaluate({ input: 'a' })).toThrow(CelError);
    expect(() => compile('lists.range(1000000000)').evaluate({})).toThrow('longer than the limit');
  });

  test('formats of absurd precision are refused', () => {
    expect(failure("'%.999999999f'.format([1.0])")).toMatchObject({ reason: 'invalid-argument' });
  });
});

describe('S-60: patterns are matched in linear time', () => {
  /** A pattern in which a part is repeated, and the repetition again. */
  const nested = (part: string, levels: number): string =>
    Array.from({ length: levels }).reduce<string>((inner) => `(${inner})*`, part);
  const length = 50_000;

  test.each([
    ['repetitions of repetitions', `^${nested('a', 3)}$`, `${'a'.repeat(length)}!`],
    ['repetitions of anything', `${nested('.', 2)}x`, 'y'.repeat(length)],
    ['equal alternatives', `(${new Array(4).fill('a').join('|')})*b`, 'a'.repeat(length)],
    ['parts that may be absent', `${'a?'.repeat(30)}${'a'.repeat(30)}$`, `${'a'.repeat(length)}!`],
    ['a blank end', '\\s+$', `${' '.repeat(length)}x`],
  ])('%s', (_, pattern, text) => {
    expect(evaluate(`input.matches(${JSON.stringify(pattern)})`, { input: text })).toBe(false);
  });

  test('a pattern that is not valid is a problem while compiling', () => {
    expect(problems("input.matches('(a')")).toEqual([
      'error the pattern "(a" is not valid: "(" without ")" [input.matches(\'(a\')]',
    ]);
    expect(failure('input.matches(p)', { input: 'a', p: '(?=a)' })).toMatchObject({ reason: 'invalid-argument' });
  });
});
