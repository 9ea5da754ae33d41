import { expect, test } from 'vitest';
import { choosing } from '../../../../../test/support/random.ts';
import type { DeclaredType } from '../../../foundation/contracts/types.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import { messageBudget } from '../../../platform/formats/budget.ts';
import { readEnvelope } from '../envelope/read.ts';
import { echo, envelope, servedSoap, soap11, soap12 } from '../testing/served.ts';

/** Requests that are made; `FUZZ_REQUESTS` makes it longer, `FUZZ_SEED` repeats a run. */
const count = Number(process.env['FUZZ_REQUESTS'] ?? 600);
const seed = Number(process.env['FUZZ_SEED'] ?? 1);

const field = (name: string, kind: string, more: object = {}) =>
  ({ name, shape: { kind }, constraints: { required: false, ...more } }) as DeclaredType['fields'][number];
const types: readonly DeclaredType[] = [
  {
    name: 'order',
    description: undefined,
    federation: { keys: [], implements: [], shareable: false, inaccessible: false },
    fields: [
      field('count', 'integer'),
      field('price', 'number'),
      field('open', 'boolean'),
      field('tags', 'array', { items: 'string' }),
      field('lines', 'array', { items: 'order' }),
    ],
  },
];

/** Envelopes of a grammar that is mostly kept, and broken at random places. */
function generator({ below, pick, chance }: ReturnType<typeof choosing>) {
  const some = (most: number, make: () => string) => Array.from({ length: below(most) }, make).join('');
  const name = () =>
    pick(['count', 'price', 'open', 'tags', 'lines', 'a', '__proto__', 'constructor', 'o:a', 'x:y', 'Include']);
  const text = () =>
    pick([
      '',
      '1',
      '-0',
      '1e400',
      '99999999999999999999',
      'true',
      'a',
      '&amp;',
      '&x;',
      '&#0;',
      '&#xd800;',
      ']]>',
      '<![CDATA[<b>]]>',
      '<!--x-->',
      '<?x y?>',
      '💥',
      '\u0000',
      '\u202e',
      'x'.repeat(below(500)),
    ]);
  const attributes = () =>
    some(3, () =>
      pick([
        ' a="1"',
        ' xmlns="urn:x"',
        ' xmlns:o="urn:o"',
        ' x:nil="true"',
        ' xmlns:x="http://www.w3.org/2001/XMLSchema-instance"',
        ' xmlns:s=""',
        ' s:mustUnderstand="1"',
        ' a=1',
      ]),
    );
  const element = (depth: number): string => {
    const tag = name();
    const end = chance(0.97) ? tag : name();
    return chance(0.1) ? `<${tag}${attributes()}/>` : `<${tag}${attributes()}>${content(depth + 1)}</${end}>`;
  };
  const content = (depth: number): string => (depth > 5 || chance(0.4) ? text() : some(4, () => element(depth)));
  const deep = () => {
    const levels = below(150);
    return '<a>'.repeat(levels) + '</a>'.repeat(chance(0.9) ? levels : below(150));
  };
  const operation = () => pick(['Echo', 'Put', 'Put', 'Fails', 'Missing', 'EchoResponse', 'o:Put']);
  const body = () => {
    const tag = operation();
    return `<${tag}${chance(0.3) ? attributes() : ''}>${chance(0.1) ? deep() : some(5, () => element(0))}</${tag}>`;
  };
  const header = () => (chance(0.3) ? `<s:Header>${some(3, () => element(3))}</s:Header>` : '');
  return () => {
    const namespace = chance(0.9) ? soap11 : pick([soap12, 'urn:other']);
    const made = `${chance(0.5) ? '<?xml version="1.0" encoding="UTF-8"?>' : ''}${chance(0.02) ? '<!DOCTYPE x>' : ''}<s:Envelope xmlns:s="${namespace}" xmlns:o="urn:o">${header()}<s:Body>${some(3, () => (chance(0.9) ? body() : text())) || body()}</s:Body></s:Envelope>`;
    const at = below(made.length);
    const cut = chance(0.9)
      ? made
      : pick([
          made.slice(0, at),
          made.slice(0, at) + made.slice(at + 1 + below(20)),
          made.slice(0, at) + made[below(made.length)] + made.slice(at),
        ]);
    const charset = chance(0.9) ? 'utf-8' : pick(['utf-16', 'iso-8859-1', 'none', '"']);
    const type = chance(0.97)
      ? `text/xml; charset=${charset}`
      : pick(['application/soap+xml', 'text/plain', 'multipart/related', '']);
    return { body: chance(0.95) ? Buffer.from(cut) : Buffer.from(cut, 'latin1'), type };
  };
}

test(
  'S-99: whatever is posted is answered with an envelope that can be read, and nothing of the inside is said',
  async () => {
    await using server = await servedSoap(
      {
        Echo: echo,
        Put: async ({ input }) => echo({ input } as never),
        Fails: () => {
          throw new Failure('connector_failed', 'SELECT secret FROM t at /srv/app.ts:1');
        },
      },
      {
        services: { production: true },
        bound: { validates: { input: 'order', output: 'order' } },
        declared: { types, sent: [] },
      },
    );
    const request = generator(choosing(seed));
    const before = process.memoryUsage().rss;
    const seen = new Set<number>();
    for (let round = 0; round < count; round++) {
      const { body, type } = request();
      const { status, text, headers } = await server.post(body, { 'content-type': type });
      const sent = `${type} ${body.toString()}`;
      seen.add(status);
      expect([sent, [200, 413, 415, 500].includes(status)]).toEqual([sent, true]);
      expect([sent, headers['content-type']]).toEqual([sent, 'text/xml; charset=utf-8']);
      const answer = await readEnvelope(Buffer.from(text), undefined, messageBudget);
      expect([sent, status === 200, answer.version]).toEqual([sent, answer.operation?.local !== 'Fault', '1.1']);
      expect([sent, text]).toEqual([sent, expect.not.stringMatching(/secret|node_modules|\.ts\b|\bat \S+ \(/)]);
    }
    expect(seen).toEqual(new Set([200, 415, 500]));
    expect((await server.post(envelope('<Echo><a>1</a></Echo>'))).status).toBe(200);
    expect(process.memoryUsage().rss - before).toBeLessThan(300 * 1024 * 1024);
  },
  process.env['FUZZ_REQUESTS'] === undefined ? undefined : 3_600_000,
);
