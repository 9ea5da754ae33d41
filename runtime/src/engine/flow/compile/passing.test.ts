import { describe, expect, test } from 'vitest';
import { asFailure } from '../../../foundation/errors/classify.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import { type Answer, serve } from '../../plan/testing/service.ts';

const message = { text: 'a', list: [{ n: 1 }], number: 0, body: new Uint8Array([0xff]) };

/** How the one flow of this text fails for the message. */
async function failure(body: string, answer: Answer = () => ({ rows: [{ id: 1 }], value: { id: 1 } })) {
  const service = await serve(
    `flow "f" {
  from { connector = "events" }
  ${body}
}`,
    { answer },
  );
  try {
    await service.deliver('f', { ...message });
  } catch (error) {
    return asFailure(error);
  }
  throw new Error('it does not fail');
}

const passes = async (body: string, answer?: Answer) => (await failure(body, answer)).passes;
const step = 'step "user" {\n connector = "peer"\n operation = "GET /user"\n }';
const to = (inner: string) => `to {\n connector = "db"\n target = "t"\n operation = "INSERT"\n ${inner}\n }`;

describe('what an expression reads of its message fails in every try', () => {
  test.each([
    ['a missing field', 'transform { v = "input.missing" }'],
    ['a type that does not fit', 'transform { v = "input.text * 2" }'],
    ['division by zero', 'transform { v = "1 / int(input.number)" }'],
    ['has() on bytes', 'transform { v = "has(input.body.a)" }'],
    [
      'too many steps',
      `transform { v = "${'[1, 2, 3, 4, 5, 6, 7, 8, 9].map(n, '.repeat(8)}input.text${')'.repeat(8)}" }`,
    ],
    ['beside the time and another answer', `${step}\ntransform { v = "now() + string(step.user.id) + input.missing" }`],
    ['behind a field that is built of it', 'transform {\n a = "input.list"\n v = "output.a[5].n"\n }'],
    ['a gate that is not a boolean', 'accept { when = "input.text" }'],
    ['the condition of a destination', to('when = "input.missing == 1"')],
    ['the same by the payload', `transform { a = "input.list" }\n${to('when = "output.a.n == 1"')}`],
    ['its own payload', `transform { a = "input.list" }\n${to('transform { v = "output.a.n" }')}`],
    ['the message as payload', to('when = "output.text.n == 1"')],
    ['a parameter', to('params = { a = "input.missing" }')],
    ['a target that is not a text', 'to {\n connector = "db"\n target = "input.list"\n operation = "INSERT"\n }'],
    ['the key of a lock', 'lock {\n storage { driver = "memory" }\n key = "input.list"\n }'],
  ])('%s', async (_, body) => expect(await passes(body)).toBe('never'));
});

describe('what it reads of anything else may pass another time', () => {
  test.each([
    ['the answer of a step', `${step}\ntransform { v = "step.user.name" }`],
    ['the time', 'transform { v = "int(now())" }'],
    ['a field that is built of an answer', `${step}\ntransform {\n a = "step.user"\n v = "output.a.name"\n }`],
    ['the same in a destination', `${step}\ntransform { a = "step.user" }\n${to('when = "output.a.name == 1"')}`],
    ['the whole payload', `${step}\ntransform { a = "step.user" }\n${to('when = "output"')}`],
    ['a condition that an answer decides', `${step}\ntransform { v = "step.user.id == 1 ? input.missing : 1" }`],
    ['what the destination answered', `${to('')}\nresponse { v = "output.missing" }`],
    [
      'rows that were read',
      'to {\n connector = "db"\n target = "t"\n operation = "SELECT"\n }\ntransform { v = "input.missing" }',
    ],
  ])('%s', async (_, body) => expect(await passes(body)).toBe('later'));
});

test('a destination that does not exist may be made, unless the message names it', async () => {
  const absent: Answer = () => {
    throw new Failure('connector_failed', 'no such table: t', { retriable: false, isTargetMissing: true });
  };
  const named = (target: string, before = '') =>
    passes(`${before}\nto {\n connector = "db"\n target = "${target}"\n operation = "INSERT"\n }`, absent);
  const asked = (target: string) =>
    passes(`step "a" {\n connector = "db"\n target = "${target}"\n operation = "SELECT"\n }`, absent);
  expect([await named('t'), await named('input.text'), await asked('t'), await asked('input.text')]).toEqual([
    'later',
    'never',
    'later',
    'never',
  ]);
});

test('a body that was not decoded is named with its remedy', async () => {
  expect((await failure('transform { v = "has(input.body.a)" }')).message).toBe(
    'transform: v: has() needs a map before .a, this is a bytes; input.body is bytes that are not text: ' +
      'name its format in `from { format = "..." }`, or send an object in JSON',
  );
});
