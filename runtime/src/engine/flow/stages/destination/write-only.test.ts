import { describe, expect, test } from 'vitest';
import { serve } from '../../../plan/testing/service.ts';

const flow = (body: string) => `flow "f" {
  from {
    connector = "api"
    operation = "GET /reports/:id"
  }
  ${body}
  to {
    connector = "post"
    template  = "report"
  }
}`;
const step = 'step "found" {\n    connector = "db"\n    target    = "reports"\n  }';

async function written(body: string, rows: readonly Readonly<Record<string, unknown>>[] = []) {
  const service = await serve(flow(body), { answer: () => ({ rows }) });
  const outcome = await service.deliver('f', { id: '7', page: '2', headers: { a: '1' } }, { addressed: ['id'] });
  const { description, payload } = service.calls.at(-1) ?? {};
  return { verb: description?.verb, payload: { ...payload }, outcome };
}

describe('a GET with a destination of which nothing can be read', () => {
  test('writes what its transform made', async () => {
    expect(await written('transform { title = "input.id" }')).toMatchObject({
      verb: 'create',
      payload: { title: '7' },
    });
  });

  test('writes the message, with its query and without headers', async () => {
    expect((await written('')).payload).toEqual({ id: '7', page: '2' });
  });

  test('writes the answer of its steps: an object as it is, a list as data', async () => {
    expect((await written(step, [{ a: 1 }])).payload).toEqual({ a: 1 });
    expect((await written(step, [{ a: 1 }, { a: 2 }])).payload).toEqual({ data: [{ a: 1 }, { a: 2 }] });
  });
});
