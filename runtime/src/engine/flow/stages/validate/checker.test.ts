import { describe, expect, test } from 'vitest';
import { createExpressionEngine } from '../../../plan/engine.ts';
import { Expressions } from '../../../plan/expressions.ts';
import { load, serve } from '../../../plan/testing/service.ts';
import { compileProjectTypes } from '../../../plan/types.ts';
import { decodeTypes } from './type-rules.ts';

function problems(types: string, value: unknown, name = 't') {
  const project = load(types);
  expect(project.diagnostics).toEqual([]);
  const checkers = compileProjectTypes(project, new Expressions(createExpressionEngine(() => undefined)));
  return (
    checkers
      .get(name)
      ?.problemsOf(value)
      ?.map(({ field, code }) => `${field} ${code}`) ?? []
  );
}

describe('a type', () => {
  test('finds every problem of an object at once, in field order', () => {
    const type = `type "t" {
  id    = id
  email = string({ format = "email", max_length = 5 })
  age   = integer({ min = 18, max = 99, required = false })
  level = string({ enum = ["basic", "gold"] })
  on    = boolean
  tags  = array({ items = "string", required = false })
  extra = object({ required = false })
}`;
    expect(problems(type, { email: 'invalid', age: 12.5, level: 'x', on: 'true', tags: ['a', 1], extra: [] })).toEqual([
      'id required',
      'email format',
      'email max_length',
      'age type_mismatch',
      'level enum',
      'on type_mismatch',
      'tags[1] type_mismatch',
      'extra type_mismatch',
    ]);
    const good = { id: 7n, email: 'a@b.c', age: 18n, level: 'gold', on: false, tags: [], extra: null, more: 1 };
    expect(problems(type, good)).toEqual([]);
  });

  test('checks types inside it, lists of them, and itself', () => {
    const types = `type "t" {
  address = "address"
  lines   = array({ items = "line" })
  parent  = "t"
  inner   = { a = string, b = number({ required = false }) }
}
type "address" { city = string({ min_length = 2 }) }
type "line" { sku = string({ pattern = "^[A-Z]+$" }) }`;
    const value = { address: { city: 'é' }, lines: [{ sku: 'A' }, { sku: 'a' }, 3], inner: { b: 'x' } };
    expect(problems(types, { ...value, parent: { ...value, parent: null } })).toEqual([
      'address.city min_length',
      'lines[1].sku pattern',
      'lines[2] type_mismatch',
      'parent.address.city min_length',
      'parent.lines[1].sku pattern',
      'parent.lines[2] type_mismatch',
      'parent.parent required',
      'parent.inner.a required',
      'parent.inner.b type_mismatch',
      'inner.a required',
      'inner.b type_mismatch',
    ]);
  });

  test('checks the formats of texts', () => {
    const type = `type "t" {
  url = string({ format = "url" })
  uuid = string({ format = "uuid" })
  date = string({ format = "date" })
  time = string({ format = "datetime" })
  phone = string({ format = "phone" })
  ip = string({ format = "ip" })
}`;
    const good = {
      url: 'https://x',
      uuid: '6F9619FF-8B86-D011-B42D-00C04FC964FF',
      date: '2028-02-29',
      time: '2030-01-01T00:00:60.5+02:00',
      phone: '+49 (30) 123-45.67',
      ip: '::ffff:10.0.0.1',
    };
    expect(problems(type, good)).toEqual([]);
    expect(
      problems(type, {
        url: 'ftp://x',
        uuid: 'x',
        date: '2027-02-29',
        time: '2030-01-01',
        phone: '12',
        ip: '1.2.3.256',
      }),
    ).toEqual(['url format', 'uuid format', 'date format', 'time format', 'phone format', 'ip format']);
  });

  test('counts characters, not units or bytes', () => {
    const type = 'type "t" { name = string({ min_length = 2, max_length = 3 }) }';
    expect(problems(type, { name: '😀😀😀' })).toEqual([]);
    expect(problems(type, { name: '😀' })).toEqual(['name min_length']);
    expect(problems(type, { name: '😀😀😀😀' })).toEqual(['name max_length']);
  });

  test('counts elements of lists', () => {
    const project = load('type "t" {\n  few  = array({ max_length = 1 })\n  some = array({ min_length = 2 })\n}');
    const checkers = compileProjectTypes(project, new Expressions(createExpressionEngine(() => undefined)));
    expect(checkers.get('t')?.problemsOf({ few: [1, 2], some: [] })).toEqual([
      { field: 'few', code: 'max_length', message: 'must have at most 1 element' },
      { field: 'some', code: 'min_length', message: 'must have at least 2 elements' },
    ]);
  });

  test('S-96: a validator that cannot be evaluated refuses the message', async () => {
    const service = await serve(`type "t" {
  n = number({ validator = "even" })
  s = string({ validator = validator.word, required = false })
}
validator "even" {
  type    = "cel"
  expr    = "int(value) % 2 == 0"
  message = "must be even"
}
validator "word" {
  type    = "cel"
  expr    = "value.missing"
}
flow "f" {
  from {
    connector = "api"
    operation = "POST /x"
  }
  validate { input = "t" }
  response { ok = "true" }
}`);
    expect(service.deliver('f', { n: 2 })).toMatchObject({ value: { ok: true } });
    expect(() => service.deliver('f', { n: 3 })).toThrow('n must be even');
    expect(() => service.deliver('f', { n: 2, s: 'x' })).toThrow('validator "word"');
  });
});

describe('R-26: what a type names must exist', () => {
  test.each([
    ['a = strng', 'unknown-type', 'strng', 'Did you mean "string"?'],
    ['a = "addres"', 'unknown-type', '"addres"', 'Did you mean "address"?'],
    ['a = string({ max_len = 3 })', 'unknown-constraint', 'max_len', ''],
    ['a = string({ formt = "email" })', 'unknown-constraint', 'formt', 'Did you mean "format"?'],
    ['a = string({ format = "mail" })', 'unknown-value', '"mail"', 'Did you mean "email"?'],
    ['a = number({ pattern = "x" })', 'wrong-constraint', 'pattern', 'Remove it.'],
    ['a = string({ min_length = "x" })', 'wrong-kind', '"x"', ''],
    [
      'a = array({ items = string({ max_length = 2 }) })',
      'wrong-kind',
      'string({ max_length = 2 })',
      'Write items = "string"',
    ],
    ['a = string({ validator = "evn" })', 'unknown-validator', '"evn"', 'Did you mean "even"?'],
    ['a = array({ items = "adres" })', 'unknown-type', '"adres"', 'Did you mean "address"?'],
    ['a = string({ external = "maybe" })', 'wrong-kind', '"maybe"', ''],
    ['a = 5', 'wrong-kind', '5', ''],
    ['a = string({ pattern = "(a" })', 'invalid-pattern', '"(a"', 'RE2'],
  ])('%s', (field, code, text, help) => {
    const source = `type "t" { ${field} }\ntype "address" { city = string }\nvalidator "even" {\n  type = "cel"\n  expr = "true"\n}\n`;
    const project = load(source);
    const found: [string, string, string | undefined][] = [];
    decodeTypes(project, (each, _message, { range }, details) =>
      found.push([each, source.slice(range.start, range.end), details?.help]),
    );
    expect(found.map(([each, at]) => [each, at])).toEqual([[code, text]]);
    expect(found[0]?.[2] ?? '').toContain(help);
  });
});

test('R-26: an answer that does not match its type fails the flow, element by element', async () => {
  const service = await serve(
    `type "row" { id = integer }
flow "f" {
  from {
    connector = "api"
    operation = "GET /x"
  }
  validate { output = "row" }
  to {
    connector = "db"
    target    = "t"
  }
}`,
    { answer: ({ description }) => ({ rows: description.exact ? [] : [{ id: 1 }, { id: 'x' }] }) },
  );
  expect(() => service.deliver('f')).toThrow(
    expect.objectContaining({
      code: 'output_invalid',
      message: 'the answer does not match type "row": [1].id must be a whole number',
    }),
  );
});

describe('defaults', () => {
  const types = `type "order" {
  state  = string({ default = "open", enum = ["open", "done"] })
  amount = integer({ default = 1, min = 1 })
  tags   = array({ default = ["new"], items = "string" })
  note   = string({ required = false })
  inner  = { gift = boolean({ default = false }) }
  lines  = array({ items = "line", required = false })
  after  = "order_ref"
}
type "line" {
  sku   = string
  count = number({ default = 1 })
}
type "order_ref" {
  kind = string({ default = "none" })
  next = array({ items = "order_ref", required = false })
}`;
  const flow = `flow "f" {
  from {
    connector = "api"
    operation = "POST /orders"
  }
  validate {
    input = "order"
  }
  response {
    got = "input"
  }
}`;
  const answer = async (input: Record<string, unknown>) => {
    const service = await serve(`${types}\n${flow}`);
    const outcome = (await service.deliver('f', input)) as { value: { got: unknown } };
    return JSON.parse(JSON.stringify(outcome.value.got));
  };

  test('are filled in when a field is absent, also in nested objects', async () => {
    const line = { sku: 'A' };
    expect(await answer({ inner: {}, lines: [line, { sku: 'B', count: 2 }], after: { next: [{}] } })).toEqual({
      state: 'open',
      amount: 1,
      tags: ['new'],
      inner: { gift: false },
      lines: [
        { sku: 'A', count: 1 },
        { sku: 'B', count: 2 },
      ],
      after: { kind: 'none', next: [{ kind: 'none' }] },
    });
    expect(line).toEqual({ sku: 'A' });
  });

  test('never replace what was sent, and are copies for each message', async () => {
    const sent = { state: 'done', amount: 3, tags: [], note: 'x', inner: { gift: true }, after: { kind: 'k' } };
    expect(await answer(sent)).toEqual(sent);
    await expect(answer({ state: null, inner: {}, after: {} })).rejects.toThrow('state is required');
    const service = await serve(`${types}\n${flow.replace('got = "input"', 'tags = "input.tags"')}`);
    const tags = async () =>
      ((await service.deliver('f', { inner: {}, after: {} })) as { value: { tags: string[] } }).value.tags;
    (await tags()).push('changed');
    expect(await tags()).toEqual(['new']);
  });
});
