import { expect, test } from 'vitest';
import { causeOf, contentOf, editableText, editProblem, historyOf, publishProblem } from './letters.ts';

const letter = (content: object, headers: Readonly<Record<string, unknown>> = {}) => ({
  ...{ source: 'orders.dlq', position: '1', key: 'new', digest: 'd', headers },
  ...content,
});

test('a dead letter says why it was given up, and what it holds', () => {
  const body = { id: '1' };
  expect([causeOf(letter({ body }, { 'x-last-error': 'no such key' })), causeOf(letter({ body }))]).toEqual([
    'no such key',
    'not said',
  ]);
  expect(contentOf(letter({ body }))).toEqual({ body, headers: {}, key: 'new' });
  expect(contentOf({ ...letter({ base64: '//4=' }), key: '' })).toEqual({ base64: '//4=', headers: {} });
});

test('what is edited is the text as it is, which must stay JSON where it was', () => {
  expect(editableText(letter({ body: { id: 1 } }))).toBe('{\n  "id": 1\n}');
  const written = '{"id": 90071992547409931}';
  expect(editableText(letter({ body: { id: '90071992547409931' }, written }))).toBe(written);
  expect(editableText(letter({ text: 'plain' }))).toBe('plain');
  expect(editableText(letter({ base64: '//4=' }))).toBeUndefined();
  expect(editProblem(letter({ body: {} }), '{"id": 1')).toMatch(/^This is not JSON: /);
  expect([editProblem(letter({ body: {} }), '{"id": 1}'), editProblem(letter({ text: 'a' }), '{')]).toEqual([
    undefined,
    undefined,
  ]);
  expect(['{"id": 1}', '[1]', 'null', '1'].map(publishProblem)).toEqual([
    undefined,
    'A message is one JSON object',
    'A message is one JSON object',
    'A message is one JSON object',
  ]);
  expect(publishProblem('{')).toMatch(/^This is not JSON: /);
});

test('its history is what its headers say: tries, the queues that gave it up from the first on, and replays', () => {
  const deaths = [
    { queue: 'orders', reason: 'rejected', count: 1, time: 1_700_000_000 },
    { queue: 'orders.retry.500', reason: 'expired', count: 3 },
  ];
  const headers = { 'x-retry-count': 3, 'x-replay-count': '1', 'x-death': deaths };
  expect(historyOf(letter({ body: {} }, headers))).toEqual([
    { title: 'Failed tries', detail: '3' },
    { title: 'Sent back', detail: 'once' },
    { title: 'Expired', detail: 'in orders.retry.500, 3 times' },
    { title: 'Rejected', detail: 'in orders, once, first 2023-11-14T22:13:20.000Z' },
  ]);
  expect(historyOf(letter({ body: {} }))).toEqual([]);
  expect(historyOf(letter({ body: {} }, { 'x-svc-stream': 'S', 'x-svc-sequence': '7' }))).toEqual([
    { title: 'Was in', detail: 'S 7' },
  ]);
});
