import { describe, expect, test } from 'vitest';
import type { Bridge, HttpAnswer } from '../../shared/services.ts';
import { jsonOf, Sender, shownSize, sizeOfBody } from './sender.ts';

const sent = { method: 'GET', url: 'http://localhost:3000/', headers: {}, body: undefined };
const answer: HttpAnswer = {
  status: 200,
  statusText: 'OK',
  headers: { 'content-type': 'application/json; charset=utf-8' },
  body: '{"a":"é"}',
  encoding: 'text',
  truncated: false,
  durationMs: 1.5,
};

/** A host whose answers are given by the test. */
function host() {
  const waiting = new Map<string, PromiseWithResolvers<unknown>>();
  const call = (name: string, { id }: { readonly id: string }) => {
    if (name === 'http.cancel') waiting.get(id)?.reject(new Error('the request was cancelled'));
    if (name === 'http.cancel') return Promise.resolve({});
    const given = Promise.withResolvers<unknown>();
    waiting.set(id, given);
    return given.promise;
  };
  return { waiting, bridge: { call } as unknown as Pick<Bridge, 'call'> };
}

test('one request of a file is under way at a time; its answer is kept, latest first', async () => {
  const { waiting, bridge } = host();
  const sender = new Sender(bridge, () => 1000);
  const first = sender.send('a.json', sent);
  void sender.send('a.json', sent);
  expect([waiting.size, [...sender.underWay.value.keys()]]).toEqual([1, ['a.json']]);
  const [id] = [...waiting.keys()];
  waiting.get(id as string)?.resolve(answer);
  await first;
  expect(sender.underWay.value.size).toBe(0);
  expect(sender.history.value).toEqual([{ id, path: 'a.json', at: 1000, sent, answer, problem: undefined }]);
});

test('a cancelled request says so, and only the last 20 are kept', async () => {
  const { waiting, bridge } = host();
  const sender = new Sender(bridge, () => 1000);
  for (let number = 0; number < 25; number++) {
    const ended = sender.send('a.json', { ...sent, url: `http://localhost/${number}` });
    if (number < 24) waiting.get([...waiting.keys()].at(-1) as string)?.resolve(answer);
    else await sender.cancel('a.json');
    await ended;
  }
  expect(sender.history.value.length).toBe(20);
  expect(sender.history.value[0]).toMatchObject({ problem: 'the request was cancelled', answer: undefined });
  expect(sender.history.value.at(-1)?.sent.url).toBe('http://localhost/5');
});

describe('a request as an identity', () => {
  const wanted = { ...answer, status: 428, body: '', factor: ['totp'] };
  /** Sends once; the host answers these in their order, the person shows the factor or does not. */
  async function sentAs(answers: readonly HttpAnswer[], isProved = true) {
    const calls: unknown[] = [];
    const asked: (readonly string[])[] = [];
    const call = async (_name: string, params: unknown) => {
      calls.push(params);
      return answers[calls.length - 1];
    };
    const sender = new Sender({ call } as unknown as Pick<Bridge, 'call'>, () => 1000);
    await sender.send('a.json', sent, {
      id: 'i1',
      name: 'ana',
      signIn: { login: 'POST /auth/login' },
      prove: async (methods) => {
        asked.push(methods);
        return isProved;
      },
    });
    return { calls, asked, last: sender.history.value[0] };
  }

  test('names it to the host, and keeps its name with the answer', async () => {
    const { calls, asked, last } = await sentAs([answer]);
    expect(calls).toEqual([
      { id: 'request 1000 1', ...sent, timeoutMs: 3_600_000, identity: 'i1', signIn: { login: 'POST /auth/login' } },
    ]);
    expect([asked, last?.as, last?.sent, last?.answer]).toEqual([[], 'ana', sent, answer]);
  });

  test('is sent after the second factor was shown', async () => {
    const { calls, asked, last } = await sentAs([wanted, answer]);
    expect([calls.length, calls[0] === calls[1], asked, last?.answer]).toEqual([2, true, [['totp']], answer]);
  });

  test.each([
    ['not shown', [wanted], false, 1],
    ['asked for again at once', [wanted, wanted], true, 2],
  ])('is not sent where the factor is %s', async (_, answers, isProved, count) => {
    const { calls, last } = await sentAs(answers, isProved);
    expect([calls.length, last?.answer, last?.problem]).toEqual([
      count,
      undefined,
      'ana did not show its second factor, so nothing was sent',
    ]);
  });
});

test('what an answer holds', () => {
  expect(jsonOf(answer)).toEqual({ value: { a: 'é' } });
  expect(jsonOf({ ...answer, body: '{' })).toBeUndefined();
  expect(jsonOf({ ...answer, headers: { 'content-type': 'text/plain' } })).toBeUndefined();
  expect(jsonOf({ ...answer, headers: { 'content-type': 'application/problem+json' } })).toBeDefined();
  expect([sizeOfBody(answer), sizeOfBody({ ...answer, body: 'AAA=', encoding: 'base64' })]).toEqual([10, 2]);
  expect([10, 2048, 3 * 1024 * 1024].map(shownSize)).toEqual(['10 B', '2.0 KiB', '3.0 MiB']);
});
