import { Fields } from '@svc/protocol/cel';
import { expect, test } from 'vitest';
import { anonymous } from '../../../foundation/contracts/message.ts';
import { createExpressionEngine } from '../../plan/engine.ts';
import { Frame } from '../message/frame.ts';
import { variablesOf } from '../scope.ts';
import { Expression } from './expression.ts';
import { valuesRead } from './values-read.ts';

function read(source: string, input: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const compiled = createExpressionEngine().compile(source, { variables: variablesOf(['input', 'output']) });
  if (!compiled.ok) throw new Error(compiled.problems[0]?.message);
  const message = {
    input: Object.assign(new Fields(), input),
    auth: anonymous,
    signal: () => undefined,
    addressed: [],
  };
  return { ...valuesRead(new Expression(compiled.program, ''), new Frame(message, { limit: 5n })) };
}

test('names every path that the expression reads once, with its value', () => {
  expect(
    read(`input.total > constants.limit && input["kind"] in ["a", "b"] && input.total < 100 && !auth.authenticated`, {
      total: 3n,
      kind: 'c',
      other: 1,
    }),
  ).toEqual({ 'input.total': 3n, 'constants.limit': 5n, 'input.kind': 'c', 'auth.authenticated': false });
});

test('what the message does not have is listed without a value; names local to the expression are not listed', () => {
  expect(
    read('has(input.vip) && input.items.exists(item, item.size > 1) && input.user.name.first == "x"', {
      items: [],
      user: { name: null },
    }),
  ).toEqual({ 'input.vip': undefined, 'input.items': [], 'input.user.name.first': undefined });
});

test('members of every kind of map are found, inherited ones are not', () => {
  expect(
    read('input.by.a == 1 && input.by.toString == 1 && input.toString == 2', { by: new Map([['a', 1n]]) }),
  ).toEqual({ 'input.by.a': 1n, 'input.by.toString': undefined, 'input.toString': undefined });
});
