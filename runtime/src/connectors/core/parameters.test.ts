import { expect, test } from 'vitest';
import { configured } from '../../../../test/support/configured.ts';
import type { Failure } from '../../foundation/errors/failure.ts';
import { compileParameters } from './parameters.ts';
import { param } from './spec.ts';

function contract(parameters: Record<string, Record<string, unknown>>) {
  const declared = Object.entries(parameters).map(([label, written]) => configured(param, { label, ...written }));
  const check = compileParameters(declared, (pattern) => (text) => new RegExp(pattern, 'u').test(text));
  return (input: Record<string, unknown>) => {
    const own: Record<string, unknown> = Object.assign(Object.create(null), input);
    check(own);
    return { ...own };
  };
}

function refusal(work: () => unknown): Failure {
  try {
    work();
  } catch (error) {
    return error as Failure;
  }
  expect.fail('it was accepted');
}

test('defaults replace what is absent, null or empty, and are not shared between messages', () => {
  const check = contract({
    limit: { type: 'number', default: 50 },
    state: { default: 'open' },
    tags: { type: 'array', default: ['a'] },
    note: {},
  });
  const first = check({ limit: '', state: null });
  expect(first).toEqual({ limit: 50, state: 'open', tags: ['a'] });
  (first['tags'] as string[]).push('b');
  expect(check({ note: '' })).toEqual({ limit: 50, state: 'open', tags: ['a'], note: '' });
});

test.each([
  ['string', 5, '5'],
  ['string', true, 'true'],
  ['string', 5n, '5'],
  ['string', ['x'], undefined],
  ['number', '5', 5],
  ['number', '-2.5e1', -25],
  ['number', '9007199254740993', 9007199254740993n],
  ['number', 7n, 7n],
  ['number', '0x10', undefined],
  ['number', ' 5', undefined],
  ['number', 'Infinity', undefined],
  ['number', '1e999', undefined],
  ['number', Number.NaN, undefined],
  ['number', true, undefined],
  ['integer', '5', 5n],
  ['integer', 5, 5n],
  ['integer', 5.5, undefined],
  ['integer', '5.0', undefined],
  ['integer', '9223372036854775807', 9223372036854775807n],
  ['integer', '9223372036854775808', undefined],
  ['integer', '1'.repeat(100_000), undefined],
  ['boolean', 'T', true],
  ['boolean', '0', false],
  ['boolean', 'yes', undefined],
  ['boolean', 1, undefined],
  ['array', [1], [1]],
  ['array', 'a', undefined],
  ['array', {}, undefined],
  ['object', { a: 1 }, { a: 1 }],
  ['object', [1], undefined],
  ['object', '{}', undefined],
])('%s takes %s', (type, value, expected) => {
  const check = contract({ v: { type } });
  if (expected !== undefined) expect(check({ v: value })).toEqual({ v: expected });
  else expect(refusal(() => check({ v: value })).fields?.[0]).toMatchObject({ field: 'v', code: 'type_mismatch' });
});

test('every problem is reported at once, by name, without the values', () => {
  const check = contract({
    z: { required: true },
    limit: { type: 'integer', min: 1, max: 200 },
    low: { type: 'number', min: 1.5 },
    code: { min_length: 3, pattern: '^[A-Z]+$', enum: ['ABC', 'DEF'] },
    tags: { type: 'array', max_length: 1 },
    name: { max_length: 2 },
    on: { type: 'boolean' },
  });
  const refused = refusal(() => check({ limit: '201', low: 1, code: 'x', tags: [1, 2], name: 'abc', on: '<script>' }));
  expect({ code: refused.code, message: refused.message, fields: refused.fields }).toEqual({
    code: 'parameters_invalid',
    message:
      'invalid parameters: code: must have at least 3 characters; code: does not match the required pattern; ' +
      'code: must be one of ABC, DEF; limit: must be at most 200; low: must be at least 1.5; ' +
      'name: must have at most 2 characters; on: must be true or false; tags: must have at most 1 element; z: is required',
    fields: [
      { field: 'code', code: 'min_length', message: 'must have at least 3 characters' },
      { field: 'code', code: 'pattern', message: 'does not match the required pattern' },
      { field: 'code', code: 'enum', message: 'must be one of ABC, DEF' },
      { field: 'limit', code: 'max', message: 'must be at most 200' },
      { field: 'low', code: 'min', message: 'must be at least 1.5' },
      { field: 'name', code: 'max_length', message: 'must have at most 2 characters' },
      { field: 'on', code: 'type_mismatch', message: 'must be true or false' },
      { field: 'tags', code: 'max_length', message: 'must have at most 1 element' },
      { field: 'z', code: 'required', message: 'is required' },
    ],
  });
});

test('lengths count characters, and allowed values compare as the declared type', () => {
  const check = contract({
    name: { max_length: 2 },
    size: { type: 'integer', enum: ['1', 2, 3n] },
    on: { type: 'boolean', enum: [true] },
  });
  expect(check({ name: '👍👍', size: '3', on: 'true' })).toEqual({ name: '👍👍', size: 3n, on: true });
  expect(refusal(() => check({ size: 4, on: false })).fields?.map(({ field }) => field)).toEqual(['on', 'size']);
});

test('a default is checked against the constraints too', () => {
  expect(refusal(() => contract({ n: { type: 'number', default: 0, min: 1 } })({})).fields?.[0]?.code).toBe('min');
});

test('a header parameter comes from the headers and from nowhere else', () => {
  const check = contract({ x_tenant: { in: 'header', required: true }, trace: { in: 'header', default: 'none' } });
  expect(check({ headers: { 'x-tenant': 'a' }, x_tenant: 'forged', trace: 'forged' })).toEqual({
    headers: { 'x-tenant': 'a' },
    x_tenant: 'a',
    trace: 'none',
  });
  expect(refusal(() => check({ x_tenant: 'forged' })).message).toBe('invalid parameters: x_tenant: is required');
  expect(contract({ h: { in: 'header' } })({ headers: {}, h: 'forged' })).toEqual({ headers: {} });
});

test('a member of the prototype of an input is not a value', () => {
  const check = contract({ constructor: { type: 'object' }, required: { required: true } });
  expect(refusal(() => check({})).message).toBe('invalid parameters: required: is required');
});
