import { expect, test } from 'vitest';
import { createExpressionEngine } from '../../../plan/engine.ts';
import { Expressions } from '../../../plan/expressions.ts';
import { load } from '../../../plan/testing/service.ts';
import { compileProjectTypes, typeModels } from '../../../plan/types.ts';
import { messageSample } from './message-sample.ts';

const types = `type "order" {
  customer = "person"
  lines    = array({ items = "line", min_length = 2 })
  place    = { city = string, owner = "person" }
  note     = string({ pattern = "^N", required = false })
}
type "person" {
  name   = string
  friend = "person"
}
type "line" {
  sku = string
}`;

test('a message has samples of the types of its fields, and passes the checks of its own', () => {
  const project = load(types.replace('friend = "person"', 'friend = object({ required = false })'));
  expect(project.diagnostics).toEqual([]);
  const sample = messageSample('order', typeModels(project));
  const person = { name: 'name', friend: {} };
  expect(sample).toEqual({
    customer: person,
    lines: [{ sku: 'sku' }, { sku: 'sku' }],
    place: { city: 'city', owner: person },
  });
  const checkers = compileProjectTypes(project, new Expressions(createExpressionEngine(() => undefined)));
  expect(checkers.get('order')?.problemsOf(sample) ?? []).toEqual([]);
  expect(checkers.get('order')?.problemsOf({})).not.toEqual(undefined);
});

test('a required field whose value only its author knows is named, and so is a type that never ends', () => {
  const models = (text: string) => typeModels(load(text));
  expect(() => messageSample('order', models(types))).toThrow('type "person" has itself as a required field');
  const coded = 'type "order" {\n  code = { inner = string({ pattern = "^A" }) }\n}';
  expect(() => messageSample('order', models(coded))).toThrow(
    'only its author can say a value of order.code.inner, which has a check of its own',
  );
});
