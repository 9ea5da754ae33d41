import { afterEach, describe, expect, test } from 'vitest';
import { answering, echoing, moduleText } from '../../../../test/support/wasm.ts';
import { startModules, stopServices } from './testing/service.ts';
import { flow, longer, loop, service } from './testing/texts.ts';

afterEach(stopServices);

describe('a validator of a module', () => {
  const text = `${service}validator "long" {
  type    = "wasm"
  wasm    = "check.wasm"
  message = "must be long"
  timeout = "200ms"
}
type "order" {
  code  = string({ validator = "long", required = false })
  codes = array({ items = "part", required = false })
  count = number({ min = 1, required = false })
}
type "part" {
  code = string({ validator = "long" })
}
${flow('take', '  validate {\n    input = "order"\n  }\n  transform {\n    ok = "true"\n  }')}`;

  test('refuses values with its message, beside what else is wrong', async () => {
    const { ask } = await startModules({ 'service.hcl': text }, { 'check.wasm': moduleText(longer('validate', 15)) });
    expect(await ask('POST', '/take', { code: '123456' })).toEqual([200, { ok: true }]);
    expect(await ask('POST', '/take', {})).toEqual([200, { ok: true }]);
    const [status, body] = await ask('POST', '/take', {
      code: '1',
      count: 0,
      codes: [{ code: '123456' }, { code: '12' }],
    });
    expect([status, body.fields ?? body]).toEqual([
      400,
      expect.arrayContaining([
        { field: 'count', code: 'min', message: 'must be at least 1' },
        { field: 'code', code: 'validator', message: 'must be long' },
        { field: 'codes[1].code', code: 'validator', message: 'must be long' },
      ]),
    ]);
  });

  test('checks what a named operation sends and gives back', async () => {
    const { ask } = await startModules(
      {
        'service.hcl': `${text}connector "db" {
  type     = "database"
  driver   = "sqlite"
  database = ":memory:"
  operation "echo" {
    query  = "SELECT :code AS code"
    input  = "order"
    output = "order"
  }
}
${flow('look', '  step "found" {\n    connector = "db"\n    operation = "echo"\n    params = { code = "input.code" }\n  }\n  response {\n    code = "step.found.code"\n  }')}`,
      },
      { 'check.wasm': moduleText(longer('validate', 15)) },
    );
    expect(await ask('POST', '/look', { code: '123456' })).toEqual([200, { code: '123456' }]);
    const [status, body] = await ask('POST', '/look', { code: '1' });
    expect([status, JSON.stringify(body)]).toEqual([500, expect.stringContaining('code must be long')]);
  });

  test.each([
    ['loops', loop],
    ['traps', '(unreachable)'],
    ['answers neither 1 nor 0', '(i32.const 2)'],
  ])('S-96: that %s refuses the message', async (_, body) => {
    const { ask } = await startModules(
      { 'service.hcl': text },
      { 'check.wasm': moduleText(`(func (export "validate") (param i32 i32) (result i32) ${body})`) },
    );
    expect((await ask('POST', '/take', { code: '123456' }))[0]).toBe(500);
    expect(await ask('POST', '/take', {})).toEqual([200, { ok: true }]);
  });
});

describe('a sanitizer', () => {
  const text = (own: string, more = '') => `${service}security {
  sanitizer "clean" {
    wasm = "clean.wasm"
    ${own}
  }
  ${more}
}
${flow('public_note', '  transform {\n    title = "input.title"\n    body  = "input.body"\n  }')}${flow('private_note', '  transform {\n    title = "input.title"\n    body  = "input.body"\n  }')}`;
  const shout = { 'clean.wasm': moduleText(answering('sanitize', '"CLEAN"')) };

  test('is given the fields and flows that it names, and no other', async () => {
    const { ask } = await startModules(
      { 'service.hcl': text('apply_to = ["public_*"]\n    fields = ["body", "absent"]') },
      shout,
    );
    expect(await ask('POST', '/public_note', { title: 'a', body: '<b>' })).toEqual([
      200,
      { title: 'a', body: 'CLEAN' },
    ]);
    expect(await ask('POST', '/private_note', { title: 'a', body: '<b>' })).toEqual([200, { title: 'a', body: '<b>' }]);
  });

  test('is chosen by a flow by its name', async () => {
    const { ask } = await startModules(
      { 'service.hcl': text('fields = ["body"]', 'flow "public_note" {\n    sanitizers = []\n  }') },
      shout,
    );
    expect(await ask('POST', '/public_note', { title: 'a', body: '<b>' })).toEqual([200, { title: 'a', body: '<b>' }]);
    expect(await ask('POST', '/private_note', { title: 'a', body: '<b>' })).toEqual([
      200,
      { title: 'a', body: 'CLEAN' },
    ]);
  });

  test('that hands the message on changes nothing of it, whatever its numbers are', async () => {
    const { said } = await startModules(
      { 'service.hcl': text('apply_to = ["public_*"]') },
      { 'clean.wasm': moduleText(echoing('sanitize')) },
    );
    const sent = '{"title":-3e20,"body":[12345678901234567890,1.5,-0.0,1e-7,{"__proto__":1}]}';
    const untouched = await said('/private_note', sent);
    expect(untouched).toContain('"12345678901234567890",1.5');
    expect(await said('/public_note', sent)).toBe(untouched);
  });

  test('gives what takes the place of the message, which is held to the limits again', async () => {
    const { ask } = await startModules(
      { 'service.hcl': text('') },
      { 'clean.wasm': moduleText(answering('sanitize', '{"title":"new","body":"ab\\u0000c"}')) },
    );
    const [status, body] = await ask('POST', '/private_note', { title: 'a', body: 'b' });
    expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining('body holds a control character')]);
  });

  test.each<[string, string, number, string]>([
    ['refuses', answering('sanitize', '{"error":"no HTML here"}'), 400, 'no HTML here'],
    ['loops', `(func (export "sanitize") (param i32 i32) (result i32) ${loop})`, 500, ''],
    ['traps', '(func (export "sanitize") (param i32 i32) (result i32) (unreachable))', 500, ''],
    ['answers no JSON', answering('sanitize', 'none'), 500, ''],
    ['answers a text for a message', answering('sanitize', '"text"'), 500, ''],
  ])('S-96: that %s refuses the message', async (_, body, status, says) => {
    const { ask } = await startModules(
      { 'service.hcl': text('timeout = "200ms"') },
      { 'clean.wasm': moduleText(body) },
    );
    const [answered, answer] = await ask('POST', '/public_note', { title: 'a' });
    expect([answered, JSON.stringify(answer)]).toEqual([status, expect.stringContaining(says)]);
  });
});
