import { describe, expect, test } from 'vitest';
import type { CallResult } from '../../../../foundation/contracts/call-result.ts';
import type { Reply } from '../../../../foundation/contracts/outcome.ts';
import { serve } from '../../../plan/testing/service.ts';

const answered = async (response: string, result: CallResult, operation = 'GET /x') => {
  const service = await serve(
    `flow "f" {
  from {
    connector = "api"
    operation = "${operation}"
  }
  to {
    connector = "db"
    target    = "t"
  }
  response {
    ${response}
  }
}`,
    { answer: () => result },
  );
  const { value, status, headers } = (await service.deliver('f', { n: 1 })) as Reply;
  return { value, status, ...(headers && { headers }), log: service.log.map(({ message }) => message) };
};

describe('a response', () => {
  test('reads a list as items, and the columns of a single row beside it', async () => {
    const rows = [{ id: 1n, name: 'A' }];
    expect(await answered('n = "output.items.size()"\n    name = "output.name"', { rows })).toMatchObject({
      value: { n: 1n, name: 'A' },
    });
    expect(
      await answered('n = "output.items.size()"\n    has = "has(output.name)"', { rows: [...rows, ...rows] }),
    ).toMatchObject({
      value: { n: 2n, has: false },
    });
    expect(await answered('n = "output.items"', { rows: [{ items: 'own' }] })).toMatchObject({
      value: { n: [{ items: 'own' }] },
    });
  });

  test('does not see its own fields', async () => {
    await expect(answered('a = "1"\n    b = "output.a"', { affected: 1 }, 'POST /x')).rejects.toThrow(
      'response: b: no such key: a',
    );
  });

  test.each([
    ["output.affected == 0 ? '404' : '200'", { affected: 0 }, 404],
    ['201', { affected: 1 }, 201],
    ["' 202 '", { affected: 1 }, 202],
  ])('sets the status: %s', async (expression, result, status) => {
    expect(await answered(`http_status_code = "${expression}"\n    ok = "true"`, result, 'POST /x')).toEqual({
      value: { ok: true },
      status,
      log: [],
    });
  });

  test.each(['99', '600', '200.5'])('ignores a status that no answer has, with a warning: %s', async (status) => {
    expect(await answered(`http_status_code = "${status}"\n    ok = "true"`, { affected: 1 })).toEqual({
      value: { ok: true },
      status: undefined,
      log: ['http_status_code is outside 100 to 599 and is ignored'],
    });
  });

  test('fails when the status is not a number', async () => {
    await expect(answered('http_status_code = "\'created\'"', { affected: 1 })).rejects.toThrow(
      'response: http_status_code must give a number or its digits',
    );
  });

  test('sets headers, after its fields, from what the flow answered; null sends none', async () => {
    const headers = 'headers {\n location = "output.url"\n x-count = "1 + 1"\n x-nothing = "null"\n }';
    expect(await answered(`http_status_code = "302"\n ${headers}\n ok = "true"`, { rows: [{ url: '/a' }] })).toEqual({
      value: { ok: true },
      status: 302,
      headers: { location: '/a', 'x-count': '2' },
      log: [],
    });
    const alone = 'headers = {\n location = "output.url"\n }';
    expect(await answered(alone, { rows: [{ url: '/a' }] })).toMatchObject({
      value: [{ url: '/a' }],
      headers: { location: '/a' },
    });
  });

  test('has a field headers where that is a text', async () => {
    const both = 'headers = "input.n"\n headers {\n x-n = "input.n"\n }';
    expect(await answered('headers = "input.n"', { affected: 1 })).toMatchObject({ value: { headers: 1 } });
    expect(await answered(both, { affected: 1 })).toMatchObject({ value: { headers: 1 }, headers: { 'x-n': '1' } });
  });

  test('fails when a header is not a text', async () => {
    await expect(answered('headers {\n x-list = "[1]"\n }', { affected: 1 })).rejects.toThrow(
      'response: headers.x-list must give a text, not a list',
    );
  });

  test('with a status alone leaves the answer unchanged', async () => {
    expect(await answered('http_status_code = "202"', { rows: [{ a: 1 }] })).toMatchObject({
      value: [{ a: 1 }],
      status: 202,
    });
  });
});
