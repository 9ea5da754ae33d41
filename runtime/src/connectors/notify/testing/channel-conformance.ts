import { describe, expect, test } from 'vitest';
import type { Capture, CapturedMessage } from '../../../foundation/contracts/capture.ts';
import type { CallDescription, CallRequest } from '../../../foundation/contracts/target.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import { systemClock } from '../../../foundation/observe/clock.ts';
import { targetConformance } from '../../testing/target-conformance.ts';
import { takesOthers } from '../message.ts';
import { type ChannelBed, idOf, type made, send, taking, targetBed } from './bed.ts';
import { failureOf, type Opening, opened } from './opened.ts';
import type { Asked, Given, Misbehaviour } from './provider.ts';

/** What would end a line, a header or a text, or begin another one. */
const hostile = [
  'a\r\nx-injected: 1',
  'a\nx-injected: 1',
  'a\rb',
  'a\0b',
  'a\u001bb',
  'a\u007fb',
  'a\u2028b',
  '../../x',
  'a&b=c',
  'ä\ud800',
];

/** Statuses of HTTP that refuse, and whether another try may help. */
const statuses: NonNullable<ChannelBed['statuses']> = [
  [400, false],
  [401, false],
  [403, false],
  [404, false],
  [408, true],
  [500, true],
  [502, true],
  [503, true],
];

/** The contract of every channel, whatever its provider. */
export function channelConformance(name: string, bed: ChannelBed): void {
  if (!bed.hasNoIds) targetConformance(name, () => targetBed(bed));

  /** `waits` are those that the connector made, which are over at once; that for as long as a message may take is for something else. */
  async function waiting(opening: Opening = {}) {
    const waits: number[] = [];
    const longest = Number(opening.written?.['timeout'] ?? 30_000) - 1_000;
    const clock = {
      ...systemClock,
      now: () => Date.parse('2026-01-01T00:00:00Z'),
      sleep: async (milliseconds: number, signal?: AbortSignal) => {
        if (milliseconds > longest) await systemClock.sleep(milliseconds, signal);
        else waits.push(milliseconds);
      },
    };
    return { ...(await opened(bed, { ...opening, services: { clock } })), waits };
  }

  describe(`channel ${name}`, () => {
    test('a message is one request, and its result is the row of a destination and the value of a step', async () => {
      const { connector, messages } = await opened(bed);
      const request = { payload: bed.message('Hello, ☃') };
      const result = { result: { success: true, provider: expect.any(String), ...bed.result(idOf('Hello, ☃')) } };
      expect(await send(connector, request, { verb: 'create' })).toEqual({ rows: [result], affected: 1 });
      expect(await send(connector, request)).toEqual({ value: result });
      expect(messages().map(bed.textOf)).toEqual(['Hello, ☃', 'Hello, ☃']);
    });

    test('every operation sends, and the message may be in params, payload and filters', async () => {
      const { connector, messages } = await opened(bed);
      await send(connector, { params: bed.message('a') }, { operation: 'post.message' });
      await send(connector, { payload: bed.message('b') }, { operation: undefined, verb: 'create' });
      await send(connector, { filters: bed.message('c'), payload: {} }, { operation: 'UPDATE', verb: 'update' });
      expect(messages().map(bed.textOf)).toEqual(['a', 'b', 'c']);
    });

    test('fields are found in each of their spellings, and are all part of the request', async () => {
      const { connector, messages } = await opened(bed);
      const all = { ...bed.message('text'), ...bed.further };
      const without = await comparable(connector, messages, bed.message('text'));
      const differing: string[] = [];
      for (const [field, value] of Object.entries(all)) {
        const { [field]: _, ...others } = bed.message('text');
        const named = await comparable(connector, messages, { ...others, [field]: value });
        if (field in bed.further && named === without) differing.push(`${field} changes nothing`);
        for (const spelling of bed.fields[field]?.spellings ?? [])
          if ((await comparable(connector, messages, { ...others, [spelling]: value })) !== named)
            differing.push(spelling);
      }
      expect(differing).toEqual([]);
    });

    const addressed = Object.entries(bed.fields).find(([, { byTarget }]) => byTarget)?.[0];
    test.skipIf(addressed === undefined)('an action says the addressee of messages without one', async () => {
      const { connector, messages } = await opened(bed);
      const name = addressed ?? '';
      const { [name]: own = bed.further[name], ...others } = bed.message('text');
      const plain = await comparable(connector, messages, { ...others, [name]: own });
      const fixed = { words: { to: own } } as Partial<CallDescription>;
      const said = [
        await comparable(connector, messages, others, {}, fixed),
        await comparable(connector, messages, others, { words: { to: own } }),
        await comparable(connector, messages, { ...others, [name]: own }, { words: { to: 'other' } }),
      ];
      expect(said).toEqual([plain, plain, plain]);
    });

    test('what is missing or of another kind is refused by its name, and nothing is sent', async () => {
      const { connector, messages } = await opened(bed);
      const required = bed.required ?? Object.keys(bed.message('text'));
      for (const field of required) {
        const { [field]: _, ...others } = bed.message('text');
        const absent = await failureOf(send(connector, { payload: { ...others, [field]: '' } }));
        expect([absent.code, absent.message]).toEqual([
          'value_refused',
          expect.stringContaining('the message has no '),
        ]);
      }
      for (const [field, { kind }] of Object.entries(bed.fields)) {
        if (kind === 'data') continue;
        const wrong = kind === 'texts' ? [{ secret: 'xyzzy' }] : kind === 'map' ? ['xyzzy'] : { secret: 'xyzzy' };
        const refusal = await failureOf(send(connector, { payload: { ...bed.message('text'), [field]: wrong } }));
        expect([refusal.code, refusal.message]).toEqual(['value_refused', expect.stringMatching(`^${field} must be `)]);
        expect(refusal.message).not.toContain('xyzzy');
      }
      expect(messages()).toEqual([]);
    });

    test.skipIf(takesOthers(bed.fields))(
      'a field that is written and that messages do not have is logged at start',
      async () => {
        const { connector, log } = await opened(bed);
        await send(connector, { payload: bed.message('a') }, { fields: [...Object.keys(bed.message('')), 'txet'] });
        expect(log.lines.filter(({ level }) => level === 'warn')).toMatchObject([
          { fields: { place: 'f: to', fields: 'txet' } },
        ]);
      },
    );

    test('S-54: no text of a message begins another header, request or field', async () => {
      const { connector, messages } = await opened(bed);
      await send(connector, { payload: { ...bed.message('text'), ...bed.further } });
      const shape = shapeOf(messages().at(-1) as Asked);
      const wrong: unknown[] = [];
      for (const [field, { kind }] of Object.entries(bed.fields)) {
        if (kind !== 'text' && kind !== 'texts' && kind !== 'addresses') continue;
        for (const text of hostile) {
          const before = messages().length;
          const payload = { ...bed.message('text'), ...bed.further, [field]: text };
          const outcome = await send(connector, { payload }).then(
            () => 'sent',
            (error: Failure) => error.code,
          );
          const sent = messages().slice(before);
          if (outcome === 'value_refused' && sent.length === 0) continue;
          if (outcome === 'sent' && sent.length === 1 && shapeOf(sent[0] as Asked) === shape) continue;
          wrong.push([field, text, outcome, sent]);
        }
      }
      expect(wrong).toEqual([]);
    });

    test('a message larger than any provider takes is refused', async () => {
      const { connector, messages } = await opened(bed);
      const { code, message } = await failureOf(send(connector, { payload: bed.message('x'.repeat(1_100_000)) }));
      expect([code, message]).toEqual(['value_refused', 'the message is larger than 1048576 bytes']);
      expect(messages()).toEqual([]);
    });

    test.skipIf(bed.health === undefined)(
      'asks its provider whether it may send, and says when it may not',
      async () => {
        const { asked = '', refusal = { status: 401, body: { error: 'who?' } } } = bed.health ?? {};
        const { connector, provider } = await opened(bed);
        await connector.check?.(new AbortController().signal);
        const last = provider.sends.at(-1);
        expect(`${last?.method} ${last?.url}`).toBe(asked);
        const refusing = await opened({ ...bed, before: () => refusal });
        const failure = await failureOf(refusing.connector.check?.(new AbortController().signal) as Promise<void>);
        expect([failure.code, refusing.provider.sends.length]).toEqual(['upstream_error', 1]);
        for (const secret of bed.secrets) expect(failure.message).not.toContain(secret);
      },
    );

    test('a message that is captured is kept as its receiver would get it, without credentials, and nothing is sent', async () => {
      const kept: CapturedMessage[] = [];
      const capture: Capture = { keep: async (message) => `m-${kept.push(message)}`, of: () => capture };
      const { connector, provider } = await opened(bed, { services: { capture } });
      const sent = await send(connector, { payload: bed.message('Hello, ☃') });
      await connector.check?.(new AbortController().signal);
      await connector.close();
      expect(sent.value).toMatchObject({ result: { success: true, provider: expect.any(String) } });
      expect(kept.map(({ shown }) => [shown.title, shown.text].join())).toEqual([expect.stringContaining('Hello, ☃')]);
      expect(kept[0]?.shown.to).toEqual([expect.stringMatching(/./)]);
      for (const secret of bed.secrets) expect(JSON.stringify(kept)).not.toContain(secret);
      expect(provider.sends).toEqual([]);
    });

    test('a message that cannot be kept counts as one that was not sent', async () => {
      const keep = async () => {
        throw new Failure('connector_failed', 'the disk is full');
      };
      const capture: Capture = { keep, of: () => capture };
      const { connector, provider } = await opened(bed, { services: { capture } });
      const { code, message } = await failureOf(send(connector, { payload: bed.message('a') }));
      expect([code, message, provider.sends]).toEqual(['connector_failed', 'the disk is full', []]);
    });

    describe('A-04 A-10 R-79: a provider that takes a request', () => {
      test.each<[string, (asked: Asked) => Given | Misbehaviour]>([
        ['and is silent', () => 'silent'],
        ['and ends the connection', () => 'cut'],
        ['and sends a byte now and then', () => 'endless'],
        ['and sends less than it has declared', () => 'short'],
        [
          'and answers a page of HTML',
          () => ({ headers: { 'content-type': 'text/html' }, body: '<html>Welcome</html>' }),
        ],
      ])('%s leaves the outcome unknown, within its time', async (title, answer) => {
        if (bed.readsStatusAlone && title.includes('HTML')) return;
        const { connector, messages, provider } = await opened(bed, { answer, written: { timeout: 300 } });
        const { code, retriable } = await failureOf(send(connector, { payload: bed.message('a') }));
        expect([code, retriable, messages().length]).toEqual(['outcome_unknown', true, bed.triesUnanswered ?? 1]);
        provider.answers(taking(bed));
        await send(connector, { payload: bed.message('b') });
        expect(bed.textOf(messages().at(-1) as Asked)).toBe('b');
      });
    });

    test.each(bed.statuses ?? statuses)(
      'R-91: status %i is one try, and says whether another one may help: %s',
      async (status, retriable) => {
        const { connector, messages, waits } = await waiting({
          answer: () => ({ status, body: '<html>It failed</html>' }),
        });
        const failure = await failureOf(send(connector, { payload: bed.message('a') }));
        expect([failure.code, failure.upstream?.status, failure.retriable, waits]).toEqual([
          'upstream_error',
          status,
          retriable,
          [],
        ]);
        // A client with an access token fetches another one where the first is refused.
        expect(messages().length).toBeLessThanOrEqual(status === 401 ? 2 : 1);
      },
    );

    test.skipIf(bed.speaksAnother)('S-76: a redirect is a failure, wherever it leads', async () => {
      for (const location of ['/elsewhere', 'http://127.0.0.1:1/', 'http://169.254.169.254/']) {
        const { connector, messages } = await opened(bed, { answer: () => ({ status: 302, headers: { location } }) });
        const failure = await failureOf(send(connector, { payload: bed.message('a') }));
        expect([failure.code, failure.retriable, messages().length]).toEqual(['upstream_error', false, 1]);
      }
    });

    describe.skipIf(bed.speaksAnother)('R-91: 429', () => {
      const take = taking(bed);
      const refuseOnce = (headers: Record<string, string>) => (asked: Asked, nth: number) =>
        nth === 1 ? { status: 429, headers } : take(asked);

      test.each<[string, Record<string, string>, number]>([
        ['in seconds', { 'retry-after': '7' }, 7_000],
        ['as a date', { 'retry-after': new Date(Date.parse('2026-01-01T00:00:09Z')).toUTCString() }, 9_000],
        ['that is long', { 'retry-after': '3600' }, 30_000],
        ['that is past', { 'retry-after': 'Thu, 01 Jan 1970 00:00:00 GMT' }, 1_000],
        ['that is not one', { 'retry-after': 'soon' }, 1_000],
        ['that is absent', {}, 1_000],
      ])('with Retry-After %s is waited for, and the same bytes are sent once again', async (_, headers, wait) => {
        const opening = { answer: refuseOnce(headers), written: { timeout: 60_000 } };
        const { connector, messages, waits } = await waiting(opening);
        await send(connector, { payload: bed.message('a') });
        const [first, second, ...others] = messages();
        expect([waits, second?.body, second?.url, others]).toEqual([[wait], first?.body, first?.url, []]);
      });

      test('that comes again fails, and says when another try makes sense', async () => {
        const { connector, messages } = await waiting({
          answer: () => ({ status: 429, headers: { 'retry-after': '5' } }),
        });
        const failure = await failureOf(send(connector, { payload: bed.message('a') }));
        expect([failure.code, failure.retriable, failure.retryAfter]).toEqual(['upstream_error', true, 5_000]);
        expect(messages()).toHaveLength(2);
      });

      test('whose wait would be longer than the message may take fails at once', async () => {
        const { connector, messages, waits } = await waiting({
          answer: refuseOnce({ 'retry-after': '20' }),
          written: { timeout: 10_000 },
        });
        const sent = send(connector, { payload: bed.message('a') }, { timeout: 10_000 });
        expect(await failureOf(sent)).toMatchObject({ retryAfter: 20_000 });
        expect([messages().length, waits]).toEqual([1, []]);
      });
    });

    for (const [answer, retriable] of bed.refusals ?? [])
      test(`an answer ${JSON.stringify(answer.body)} is a refusal`, async () => {
        const { connector, messages } = await opened(bed, { answer: () => answer });
        const failure = await failureOf(send(connector, { payload: bed.message('a') }));
        expect([failure.code, failure.retriable, messages().length]).toEqual(['upstream_error', retriable, 1]);
      });

    test.skipIf(bed.speaksAnother)('A-11: a provider that repeats what it was sent repeats no secret', async () => {
      const repeated = ({ url, headers, body }: Asked) => JSON.stringify([url, headers, body]);
      const { connector, log } = await opened(bed, { answer: (asked) => ({ status: 400, body: repeated(asked) }) });
      const failure = await failureOf(send(connector, { payload: bed.message('a') }));
      const shown = JSON.stringify([failure.message, failure.upstream, log.lines]);
      expect(bed.secrets.filter((secret) => shown.includes(secret))).toEqual([]);
      expect(shown).toContain('HTTP 400');
    });
  });

  /** A request as far as it is the same for the same message. */
  async function comparable(
    connector: ReturnType<typeof made>,
    messages: () => readonly Asked[],
    payload: Record<string, unknown>,
    request: Partial<CallRequest> = {},
    call: Partial<CallDescription> = {},
  ): Promise<string> {
    await send(connector, { payload, ...request }, call);
    const { method, url, body, headers } = messages().at(-1) as Asked;
    const { authorization, 'x-amz-date': date, ...others } = bed.comparable?.(headers) ?? headers;
    return JSON.stringify([method, url, body, others]).replaceAll(/"content-length":"\d+"/g, '');
  }
}

/** What no value of a message may change: method, number of parts of the path, names of headers. */
function shapeOf({ method, url, headers }: Asked): string {
  return JSON.stringify([method, url.split(/[/?&]/).length, Object.keys(headers).sort()]);
}
