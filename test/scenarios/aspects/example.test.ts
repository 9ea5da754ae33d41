import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { migrate, type Scenario, startScenario } from '../scenario.ts';

let service: Scenario;

beforeAll(async () => {
  service = await startScenario(join(import.meta.dirname, '../../../examples/aspects'), {
    prepare: (directory) => migrate(directory, ['db']),
  });
});

afterAll(() => service?.end());

test('the example writes down what happened, and does what its README says', async () => {
  const post = (title: string) => service.ask('POST', '/books', { title });
  expect((await post('Sketch')).body).toEqual({ id: 1, affected: 1 });
  expect((await post('Sketch')).status).toBe(500);
  expect((await post('')).body).toEqual({ status: 'dropped', reason: 'accept' });
  const book = await service.ask('GET', '/books/1');
  expect([book.headers['x-library'], book.body]).toEqual(['1.0', [{ id: 1, title: 'Sketch', copies: 1 }]]);
  expect((await service.ask('PATCH', '/books/1', { copies: 3 })).body).toEqual({ affected: 1 });
  expect((await service.ask('GET', '/books/1')).body).toEqual([{ id: 1, title: 'Sketch', copies: 3 }]);
  expect((await service.ask('GET', '/history')).body).toEqual([
    { flow: 'add_book', book: '1', what: 'done' },
    { flow: 'add_book', book: 'Sketch', what: 'failed: unknown' },
    { flow: 'add_book', book: null, what: 'dropped: accept' },
    { flow: 'change_book', book: '1', what: 'done' },
  ]);
  const many = await Promise.all(Array.from({ length: 40 }, (_, at) => post(`Book ${at}`)));
  expect(many.map(({ status }) => status)).toContain(429);
});
