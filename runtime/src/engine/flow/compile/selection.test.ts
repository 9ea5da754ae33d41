import { describe, expect, test } from 'vitest';
import { serve } from '../../plan/testing/service.ts';

const read = (name: string, extra = 'params = { id = "input.id" }') => `step "${name}" {
    connector = "db"
    target    = "${name}s"
    ${extra}
  }
  `;
const flow = (body: string) => `flow "f" {
  from {
    connector = "api"
    operation = "GET /x"
  }
  ${body}
}`;

/** The tables and operations that were asked, and the answer. */
async function asked(body: string, requested: readonly string[] | undefined) {
  const service = await serve(flow(body), {
    answer: ({ description }) => ({ rows: [{ id: 7n, from: description.label }] }),
  });
  const outcome = (await service.deliver('f', { id: 1 }, { requested })) as { value: unknown };
  const labels = service.calls.map(({ description }) => description.label);
  return {
    labels,
    value: JSON.parse(JSON.stringify(outcome.value, (_, item) => (typeof item === 'bigint' ? Number(item) : item))),
  };
}

const three = `${read('user')}${read('order', 'params = { user = "step.user.id" }')}${read('visit')}
  enrich "price" {
    connector = "db"
    operation = "prices"
    params    = { id = "step.visit.id" }
  }
  transform {
    id    = "input.id"
    user  = "step.user.from"
    order = "step.order.from"
    price = "enriched.price.from"
    both  = "output.user + output.price"
  }`;

describe('a caller that asks for some fields', () => {
  test.each([
    [undefined, ['step "user"', 'step "order"', 'step "visit"', 'enrich "price"']],
    [['id'], []],
    [['user'], ['step "user"']],
    [
      ['order', 'id'],
      ['step "user"', 'step "order"'],
    ],
    [['price'], ['step "visit"', 'enrich "price"']],
    [['both'], ['step "user"', 'step "visit"', 'enrich "price"']],
    [['__typename'], []],
    [
      ['user', 'order', 'price'],
      ['step "user"', 'step "order"', 'step "visit"', 'enrich "price"'],
    ],
  ])('%j: %j', async (requested, labels) => {
    expect((await asked(three, requested)).labels).toEqual(labels);
  });

  test('gets those fields, and others that need no extra work', async () => {
    expect((await asked(three, ['user'])).value).toEqual({ id: 1, user: 'step "user"' });
    expect((await asked(three, ['both'])).value).toMatchObject({ both: 'step "user"enrich "price"' });
    expect(Object.keys((await asked(three, undefined)).value)).toEqual(['id', 'user', 'order', 'price', 'both']);
  });
});

describe('what is never skipped', () => {
  const fields = (more: string) => `transform {\n    id = "input.id"\n    a = "step.user.from"\n  }\n  ${more}`;

  test.each([
    ['a step that writes', `${read('user', 'operation = "INSERT"\n    params = { id = 1 }')}${fields('')}`],
    [
      'a step whose statement writes',
      `${read('user', 'query = "DELETE FROM a"')}${fields('')}`.replace('target    = "users"', ''),
    ],
    [
      'a call that may change something',
      `step "user" {\n    connector = "peer"\n    operation = "POST /users"\n  }\n  ${fields('')}`,
    ],
    ['what response reads', `${read('user')}${fields('response {\n    b = "step.user.id"\n  }')}`],
    ['what response reads of the whole output', `${read('user')}${fields('response {\n    all = "output"\n  }')}`],
    [
      'what the condition of a writing step reads',
      `${read('user')}${read('log', 'operation = "INSERT"\n    params = { id = 1 }\n    when = "step.user.id == 7"')}${fields('')}`,
    ],
    ['anything without a transform', `${read('user')}`],
    ['a step that nothing reads', `${read('user')}transform {\n    id = "input.id"\n    b = "1"\n  }`],
    [
      'what is chosen by a name that only the message knows',
      `${read('user')}transform {\n    id = "input.id"\n    b = "string(size(step))"\n    c = "1"\n  }\n  response {\n    n = "size(step)"\n  }`,
    ],
    [
      'an answer that is checked',
      `${read('user')}${fields('validate {\n    output = "t"\n  }')}\n}\ntype "t" {\n  id = number`,
    ],
    ['an answer that is cached', `${read('user')}${fields('cache {\n    storage = "memory"\n    key = "k"\n  }')}`],
  ])('%s', async (_title, body) => {
    expect((await asked(body, ['id'])).labels).toContain('step "user"');
  });

  test('a call that only asks may be left out', async () => {
    const body = `step "user" {\n    connector = "peer"\n    operation = "GET /users"\n  }\n  ${fields('')}`;
    expect((await asked(body, ['id'])).labels).toEqual([]);
  });
});
