import { describe, expect, test } from 'vitest';
import type { Connector } from '../../foundation/contracts/connector.ts';
import { compilePlan } from './compile.ts';
import { planServices } from './testing/plan-services.ts';
import { load, serve } from './testing/service.ts';

describe('a flow', () => {
  test('with a response alone answers without waiting', async () => {
    const service = await serve(`flow "hello" {
  from {
    connector = "api"
    operation = "GET /hello/:name"
  }
  response {
    message = "'Hello ' + input.name"
    twice   = "output.name + input.name"
  }
}`);
    expect(service.deliver('hello', { name: 'Ann' })).toEqual({
      kind: 'reply',
      value: { message: 'Hello Ann', twice: 'AnnAnn' },
      status: undefined,
      headers: undefined,
    });
    expect(service.events).toEqual([
      ['started', 'hello'],
      ['finished', 'hello', 'success', undefined],
    ]);
  });

  test('validates, transforms and writes without waiting for a synchronous target', async () => {
    const service = await serve(
      `type "person" {
  email = string({ format = "email" })
  age   = number({ min = 0, required = false })
}
flow "create" {
  from {
    connector = "api"
    operation = "POST /people"
  }
  validate { input = "person" }
  transform {
    id    = "'p-1'"
    email = "lower(input.email)"
    tag   = "output.id + ':' + output.email"
  }
  to {
    connector = "db"
    target    = "people"
  }
}`,
      { answer: () => ({ affected: 1, id: 7 }) },
    );
    expect(service.deliver('create', { email: 'A@B.C' })).toEqual({
      kind: 'reply',
      value: { id: 'p-1', affected: 1 },
      status: undefined,
      headers: undefined,
    });
    expect(service.calls.map(({ description, payload }) => [description.verb, description.target, payload])).toEqual([
      ['create', 'people', { id: 'p-1', email: 'a@b.c', tag: 'p-1:a@b.c' }],
    ]);
    expect(() => service.deliver('create', { email: 'no-address', age: -1 })).toThrow(
      'the message does not match type "person": email must be an e-mail address; age must be at least 0',
    );
    expect(service.calls).toHaveLength(1);
  });
});

test('what a flow says of its answer is on its binding', () => {
  const project = load(`type "User" {
  id = id
}
flow "users" {
  returns = "User[]"
  from {
    connector = "api"
    operation = "GET /users"
  }
  response { a = "1" }
}`);
  expect(project.diagnostics).toEqual([]);
  const made = new Map([...project.connectors.keys()].map((name) => [name, { name } as Connector]));
  const { bindings } = compilePlan(project).bind(made, planServices());
  expect(bindings.get('api')).toMatchObject([
    { returns: { type: 'User', scalar: false, list: true, nullable: false, nullableElements: false } },
  ]);
});
