import { describe, expect, test } from 'vitest';
import { functionDocumentation } from './functions.ts';
import { compile, evaluate, failure, problems } from './testing/evaluate.ts';
import { toJson } from './values/json.ts';

const input = JSON.parse(
  '{"count": 3, "total": 10.5, "name": "  Ada ", "empty": "", "none": null, "zero": 0, "no": false, "list": [], "map": {}, "items": [{"id": 1, "price": 2.5}, {"id": 2, "price": 4}], "deep": {"a": {"b": "c"}}}',
) as object;
const value = (source: string, more: object = {}): unknown => toJson(evaluate(source, { input, ...more }));

describe('documentation', () => {
  test.each(functionDocumentation.map(({ name, example }) => [name, example]))(
    'the example of %s holds: %s',
    (_, example) => {
      expect(evaluate(example)).toBe(true);
    },
  );

  test('every name is documented once', () => {
    const names = functionDocumentation.map(({ name }) => name);
    expect(names).toEqual([...new Set(names)]);
  });
});

describe('numbers', () => {
  test.each([
    ['input.count + 1', 4],
    ['input.count * 2 - 0.5', 5.5],
    ['input.total / input.count', 3.5],
    ['input.count % 2', 1],
    ['1 + 2.5', 3.5],
    ['7 / 2', 3],
    ['-7 % 3', -1],
    ['3u + 1', 4],
    ['string(input.count)', '3'],
    ['input.count == 3 && 3 == 3u && 3.0 == 3', true],
    ['input.count in [1, 2, 3]', true],
    ['input.items[0].id', 1],
    ['9007199254740993', '9007199254740993'],
    ['9007199254740991', 9007199254740991],
    ['input.count > 9007199254740993', false],
    ['type(input.count) == double && type(1 + 1) == int && type(1 + 1.0) == double', true],
  ])('%s', (source, result) => {
    expect(value(source)).toEqual(result);
  });

  test.each([
    ['1 / 0', 'divide-by-zero', '1 / 0'],
    ['input.count % 0', 'divide-by-zero', 'input.count % 0'],
    ['9223372036854775807 + 1', 'overflow', '9223372036854775807 + 1'],
    ['1u - 2u', 'overflow', '1u - 2u'],
    ['1 + (input.name + 1)', 'no-such-overload', 'input.name + 1'],
    ['input.none + 1', 'no-such-overload', 'input.none + 1'],
    ['input.none < 1', 'no-such-overload', 'input.none < 1'],
    ['lower(input.count)', 'no-such-overload', 'lower(input.count)'],
    ['math.ceil(int(input.count))', 'no-such-overload', 'math.ceil(int(input.count))'],
  ])('%s fails', (source, reason, at) => {
    expect(source.includes('math') ? { reason, at } : failure(source, { input })).toMatchObject({ reason, at });
  });

  test('whole numbers beyond 2^53 stay exact', () => {
    expect(value('big + 1', { big: 9007199254740993n })).toBe('9007199254740994');
  });
});

describe('missing values', () => {
  test.each([
    ["input.x ?? 'd'", 'd'],
    ["input.x.y.z ?? 'd'", 'd'],
    ["input.none.y.z ?? 'd'", 'd'],
    ["input.count.y ?? 'd'", 'd'],
    ["input['x']['y'] ?? 'd'", 'd'],
    ["input.items[7].id ?? 'd'", 'd'],
    ["input.items[1].id ?? 'd'", 2],
    ["nothing ?? 'd'", 'd'],
    ["nothing.at.all ?? 'd'", 'd'],
    ["input.none ?? 'd'", 'd'],
    ["input.empty ?? 'd'", 'd'],
    ["input.x ?? input.y ?? 'e'", 'e'],
    ['input.zero ?? 1', 0],
    ['input.no ?? true', false],
    ['input.list ?? [1]', []],
    ['input.map ?? {"a": 1}', {}],
    ["default(input.x.y, 'd')", 'd'],
    ["default(input.deep.a.b, 'd')", 'c'],
    ["trim(input.name) ?? 'd'", 'Ada'],
    ["trim(input.empty) ?? 'd'", 'd'],
    ["input.?x ?? 'd'", 'd'],
    ['input.?count.orValue(1)', 3],
    ["'id-' + (input.x ?? 'none')", 'id-none'],
    ['has(input.none)', true],
    ['has(input.x)', false],
    ["'x' in input", false],
    ["coalesce(input.none, 'd')", 'd'],
    ["input.constructor ?? 'own'", 'own'],
  ])('%s', (source, result) => {
    expect(value(source)).toEqual(result);
  });

  test.each([
    ['input.x', 'no-such-key', 'input.x'],
    ['input.x.y', 'no-such-key', 'input.x'],
    ['input.none.y', 'no-such-field', 'input.none.y'],
    ['has(input.x.y)', 'no-such-key', 'input.x'],
    ["input['x']", 'no-such-key', "input['x']"],
    ["coalesce(input.x, 'd')", 'no-such-key', 'input.x'],
    ["lower(input.x) ?? 'd'", 'no-such-key', 'input.x'],
    ["'id-' + input.x ?? 'd'", 'no-such-key', 'input.x'],
    ["input.items[input.x] ?? 'd'", 'no-such-key', 'input.x'],
    ["1 / 0 ?? 'd'", 'divide-by-zero', '1 / 0'],
    ['input.items[9]', 'out-of-range', 'input.items[9]'],
    ['nothing', 'no-such-key', 'nothing'],
  ])('%s fails', (source, reason, at) => {
    expect(failure(source, { input })).toMatchObject({ reason, at });
  });

  test('undefined is absent', () => {
    expect(value("has(m.a) || 'a' in m || size(m) > 0 || m.exists(k, true)", { m: { a: undefined } })).toBe(false);
  });
});

describe('functions', () => {
  test.each([
    ['now()', '2025-03-01T08:15:00Z'],
    ['now_unix()', 1740816900],
    ['uuid()', '0b8f4bd6-7d0c-4c3c-9d5e-0a3f5f0a1b2c'],
    ["env('REGION') + env('EMPTY', 'x') + env('UNSET')", 'eux'],
    ["hash_sha256('')", 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
    ["replace('abc', '', '-')", '-a-b-c-'],
    ["split('', ',')", ['']],
    ["split('añ', '')", ['a', 'ñ']],
    ["join([], ',')", ''],
    ["substring('a😀c', 1, 2)", '😀'],
    ["substring('abc', 2, 1)", ''],
    ["substring('abc', -3, 99)", 'abc'],
    ["len('ä😀')", 6],
    ["size('ä😀')", 2],
    ["trim('\\u00a0 a\\u0085')", 'a'],
    ["format_date('2025-03-01T23:15:09+02:00', 'YYYY/MM/DD HH:mm:ss')", '2025/03/01 23:15:09'],
    ["format_date('soon', 'YYYY')", 'soon'],
    ['first([])', null],
    ['as_list(input.none)', []],
    ["as_list('a')", ['a']],
    ['flatten([1, [2, [3]]])', [1, 2, [3]]],
    ["unique([{'a': 1}, {'a': 1.0}, [1], [1], 1, 1.0, '1'])", [{ a: 1 }, [1], 1, '1']],
    ["pluck(input.items + [1, {'x': 1}], 'id')", [1, 2, null]],
    ['sum([1, 2.5])', 3.5],
    ['sum([])', 0],
    ["avg([1, 'a', 2])", 1],
    ['avg([])', 0],
    ['min_val([3, 1.5, 2u])', 1.5],
    ['max_val([])', null],
    ["sort_by([{'n': 2, 'i': 0}, {'n': 1}, {'n': 2, 'i': 1}], 'n')", [{ n: 1 }, { n: 2, i: 0 }, { n: 2, i: 1 }]],
    ["merge({'a': 1}, {'b': 2}, {'a': 3}, {})", { a: 3, b: 2 }],
    ["omit({'a': 1, 'b': 2, 'c': 3}, 'a', 'c')", { b: 2 }],
    ["pick({'a': 1, 'b': 2}, 'b', 'z')", { b: 2 }],
    ["has_field(g, 'user') && has_field(g, 'user.name') && !has_field(g, 'use')", true],
    ['requested_fields(g) + requested_top_fields(g)', ['user.name', 'user']],
    ["duration('3.5s')", '3.5s'],
    ["timestamp('2025-03-01T08:15:00+01:00')", '2025-03-01T07:15:00Z'],
    ["timestamp('2025-07-01T08:15:00Z').getHours('Europe/Berlin')", 10],
    ["b'\\x00\\xff'", 'AP8='],
    ["{1: 'a', true: 'b'}", { 1: 'a', true: 'b' }],
    ["[1, 'a', null]", [1, 'a', null]],
    ["input.items.map(i, i.price > 3, {'id': i.id})", [{ id: 2 }]],
    ['input.items.sortBy(i, -i.price).map(i, i.id)', [2, 1]],
  ])('%s', (source, result) => {
    const g = { __requested_fields: ['user.name'], __requested_top_fields: ['user'] };
    expect(value(source, { g })).toEqual(result);
  });

  test('equal programs for equal sources; nothing is parsed while expressions run', () => {
    const program = compile('input.items.map(i, i.price * 2)');
    expect([program.evaluate({ input }), program.evaluate({ input })]).toEqual([
      [5, 8],
      [5, 8],
    ]);
  });

  test('R-21: a transform field sees the fields above it, whatever the number of runs', () => {
    const program = compile("output.a + '-' + input.n");
    const answers = new Set(
      Array.from({ length: 1000 }, () => program.evaluate({ input: { n: 'x' }, output: { a: 'y' } })),
    );
    expect([...answers]).toEqual(['y-x']);
  });
});

describe('problems', () => {
  const options = {
    variables: [
      { name: 'input', type: { kind: 'map', key: { kind: 'string' }, value: { kind: 'dyn' } } },
      {
        name: 'auth',
        type: {
          kind: 'struct',
          fields: { user_id: { kind: 'string' }, roles: { kind: 'list', element: { kind: 'string' } } },
          open: false,
        },
      },
    ],
  } as const;

  test.each([
    ['inptu.a', ['error there is no variable "inptu" here [inptu] -> input']],
    ['lowr(input.a)', ['error there is no function "lowr" [lowr] -> lower']],
    ['input.a.trimm()', ['error there is no method "trimm" [trimm] -> trim']],
    ['input.a.lower()', ['error lower is a function: write lower(value) [lower] -> lower']],
    ['lower(1)', ['error lower() is not defined for int: lower(text: string) -> string [lower(1)]']],
    ['auth.user', ['error there is no field "user" here [user]']],
    ['auth.usr_id', ['error there is no field "usr_id" here [usr_id] -> user_id']],
    ['auth.user ?? "x"', []],
    ['auth.user_id + 1', ['error string + int is not defined [auth.user_id + 1]']],
    ['"a" && true', ['error && needs a bool, this is a string ["a"]']],
    ['input.a.matches("(")', ['error the pattern "(" is not valid: "(" without ")" [input.a.matches("(")]']],
    ['duration("soon")', ['error "soon" is not a duration such as "1h30m" [duration("soon")]']],
    ['input.items.map(i + 1, i)', ['error a name for the element is expected here, such as x [i + 1]']],
    ['has(input)', ['error has() takes a field, such as has(input.name) [input]']],
    ['Point{x: 1}', ['error messages are not supported; write a map: {"field": value} [Point{x: 1}]']],
    ['[1, "a", input.b]', []],
    ['1 < 2u && 2u < 3.5', []],
    ['toString', ['error there is no variable "toString" here [toString]']],
  ])('%s', (source, found) => {
    expect(problems(source, options)).toEqual(found);
  });

  test('a result of a type that is not expected', () => {
    expect(problems("'a' + input.b", { ...options, expect: { kind: 'bool' } })).toEqual([]);
    expect(problems("'a' + 'b'", { ...options, expect: { kind: 'bool' } })).toEqual([
      "error the result is a string, a bool is expected ['a' + 'b']",
    ]);
  });

  test('functions of a position are called with their arguments and the activation', () => {
    const twice = {
      name: 'twice',
      arity: [1],
      pure: true,
      invoke: ([text]: readonly unknown[], { n }: { n?: number }) => `${text}${text}${n}`,
    };
    const program = compile("twice('a')", { functions: [twice] });
    expect(program.evaluate({ n: 1 })).toBe('aa1');
    expect(problems('twice()', { functions: [twice] })).toEqual(['error twice() takes 1 arguments, not 0 [twice]']);
  });

  test('references are the paths that are read, without the names of macros', () => {
    const program = compile(
      "step.user.name + input['a b'].c + string(input.items.map(i, i.id + n)[k].x) + math.ceil(f) + (has(q.r) ? 's' : 't')",
    );
    expect(program.references.map(({ path }) => path.join(' '))).toEqual([
      'step user name',
      'input a b c',
      'input items',
      'n',
      'k',
      'f',
      'q r',
    ]);
  });

  test('constants are known while compiling, unless a function varies', () => {
    expect(compile("lower('A') + 'b'").constant).toEqual({ value: 'ab' });
    expect([compile('now()').constant, compile('input.a').constant, compile('1 / 0').constant]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });
});

describe('parts of addresses', () => {
  test.each(['', 'a b', "!'()*-._~", 'ä€😀', '100%+&=?#/'])('%j comes back as it was', (text) => {
    expect(value('url.decode(url.encode(text))', { text })).toBe(text);
    expect(value('url.encode(text)', { text })).toMatch(/^[A-Za-z0-9\-._~%]*$/);
  });

  test.each(['%', '%zz', '%C3', '%ff'])('%j is not percent-encoded UTF-8', (text) => {
    expect(failure('url.decode(text)', { text })).toMatchObject({ reason: 'invalid-argument' });
  });
});

describe('JSON', () => {
  test.each([
    ['null', null],
    [' [1, -2.5, "ä\\u0000", {"a": {}}] ', [1, -2.5, 'ä\0', { a: {} }]],
    ['{"a": 1, "a": 2}', { a: 2 }],
    ['[9007199254740991, 1e3]', [9007199254740991, 1000]],
  ])('%s is decoded as a body is', (text, expected) => {
    expect(value('json.decode(text)', { text })).toEqual(expected);
  });

  test('an integer beyond 2^53-1 is exact', () => {
    expect(value('json.decode(text)[0] == 9007199254740993', { text: '[9007199254740993]' })).toBe(true);
    expect(value('json.decode(text)[0] == 9007199254740992', { text: '[9007199254740993]' })).toBe(false);
  });

  test('a key __proto__ changes no other object', () => {
    const decoded = value('json.decode(text)', { text: '{"__proto__": {"admin": true}}' }) as object;
    expect([Object.getPrototypeOf(decoded), Object.keys(decoded)]).toEqual([null, ['__proto__']]);
  });

  test.each([
    '',
    '{',
    '[1,]',
    "{'a': 1}",
    'undefined',
    '1e999',
    `${'['.repeat(101)}${']'.repeat(101)}`,
    '['.repeat(1e6),
  ])('%.20j is refused', (text) => {
    expect(failure('json.decode(text)', { text })).toMatchObject({ reason: 'invalid-argument' });
  });
});
