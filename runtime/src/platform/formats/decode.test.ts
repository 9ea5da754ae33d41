import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { messageBudget } from './budget.ts';
import { decodeBody } from './decode.ts';
import { type DecoderLimits, DecoderPool, type DecodingJob } from './decoder-pool.ts';
import { bookOf, textRow } from './excel/testing/package.ts';
import { bodyFormatNames } from './format-spec.ts';
import { Assembly, piecesOf } from './pieces.ts';
import { codecOf, isTextFormat } from './registry.ts';

const limits: DecoderLimits = { workers: 1, waiting: 2, waitingBytes: 1e6, deadline: 60_000, megabytes: 64 };
const job = (text: string, more: Partial<DecodingJob> = {}): DecodingJob => ({
  format: 'json',
  bytes: Buffer.from(text),
  charset: undefined,
  budget: messageBudget,
  ...more,
});
const wide = { depth: 100, keys: 1e9, values: 1e9, digits: 1e9 };

describe('bodies', () => {
  const samples = {
    json: `{"a":${JSON.stringify('x'.repeat(140_000))},"b":[9007199254740993,null,1.5,[],{}],"__proto__":{"c":true}}`,
    xml: `<a b="1">${'<c>é</c>'.repeat(6_000)}<d/></a>`,
    csv: `a,b\n${'1,"é"\n2\n'.repeat(15_000)}`,
    tsv: `a\tb\n${'1\t"é"\n2\n'.repeat(15_000)}`,
    ndjson: `{"a":1,"b":"é"}\n[2]\n`.repeat(5_000),
    excel: bookOf({ sheets: { Data: textRow('a', 'b') + textRow('1', 'é').repeat(2_000) } }),
    form: `a=${'x'.repeat(270_000)}&b=1&b=2&__proto__=c`,
  };
  /** Formats of which small bodies are decoded on the event loop. */
  const textFormats = bodyFormatNames.filter(isTextFormat);

  test.each(bodyFormatNames)('%s: a worker thread gives what the event loop gives', async (name) => {
    const codec = await codecOf(name);
    const text = samples[name];
    const value = decodeBody(codec, Buffer.from(text));
    expect(value).toBeInstanceOf(Promise);
    const here = await codec.decode(Buffer.from(text));
    expect(await value).toEqual(here);
    expect(Object.keys((await value) as object)).toEqual(Object.keys(here as object));
  });

  test.each(textFormats)('%s: small bodies are decoded at once', async (name) => {
    const codec = await codecOf(name);
    const body = Buffer.from(codec.encode({ a: '1' }));
    const largest = Buffer.concat([body, Buffer.alloc(codec.inlineBytes - body.length, ' ')]);
    for (const bytes of [body, largest]) expect(decodeBody(codec, bytes)).not.toBeInstanceOf(Promise);
    const larger = decodeBody(codec, Buffer.concat([largest, Buffer.from(' ')]));
    expect(larger).toBeInstanceOf(Promise);
    await larger;
  });

  test.each(textFormats)('%s: what is refused small is refused large', async (name) => {
    const codec = await codecOf(name);
    const failureOf = async (bytes: Buffer) => {
      try {
        await decodeBody(codec, bytes, { budget: { ...messageBudget, keys: 0, values: 0 } });
        return undefined;
      } catch (error) {
        return (error as { code: string }).code;
      }
    };
    const filler = Buffer.alloc(codec.inlineBytes, ' ');
    const small = Buffer.from(codec.encode({ a: ['1', '2'] }));
    expect(await failureOf(small)).toBe('body_too_large');
    expect(await failureOf(Buffer.concat([small, filler]))).toBe('body_too_large');
    await expect(async () => decodeBody(codec, Buffer.alloc(codec.inlineBytes + 1, 0xff))).rejects.toMatchObject({
      code: 'body_undecodable',
      message: 'the body is not valid UTF-8: the byte FF at position 0',
    });
  });

  test('a character set that was named counts in a worker too', async () => {
    const json = await codecOf('json');
    const { inlineBytes } = json;
    const bytes = Buffer.from(`["${'é'.repeat(inlineBytes)}"]`, 'latin1');
    expect(await decodeBody(json, bytes, { charset: 'iso-8859-1' })).toEqual(['é'.repeat(inlineBytes)]);
    await expect(decodeBody(json, bytes, { charset: 'klingon' })).rejects.toMatchObject({
      code: 'media_type_unsupported',
    });
  });

  test('S-64: while a megabyte is decoded, the event loop keeps running', async () => {
    const text = `[${'{"a":1},'.repeat(40_000)}1]`;
    let turns = 0;
    let over = false;
    const count = () => {
      turns++;
      if (!over) setImmediate(count);
    };
    setImmediate(count);
    const value = (await decodeBody(await codecOf('json'), Buffer.from(text))) as unknown[];
    over = true;
    expect(value.length).toBe(40_001);
    // Each piece of 8192 tokens is taken over in a turn of its own.
    expect(turns).toBeGreaterThan((4 * 40_000) / 8192);
  });
});

describe('a pool of decoders', () => {
  test('refuses a body that takes too long, and decodes the next one', async () => {
    const pool = new DecoderPool({ ...limits, deadline: 1 });
    const slow = `<a>${'<b/>'.repeat(200_000)}</a>`;
    await expect(pool.decode(job(slow, { format: 'xml', budget: wide }))).rejects.toMatchObject({
      code: 'body_too_large',
      message: 'decoding the body takes longer than 1 ms',
    });
    expect(await new DecoderPool(limits).decode(job('[1]'))).toEqual([1]);
  });

  test('refuses a body that would take too much memory; the process keeps running', async () => {
    const pool = new DecoderPool({ ...limits, megabytes: 64 });
    await expect(pool.decode(job(`[${'{},'.repeat(8_000_000)}1]`))).rejects.toMatchObject({
      code: 'body_too_large',
      message: 'the body holds more than 100000 values',
    });
    expect(await pool.decode(job('[1]'))).toEqual([1]);
  });

  test('keeps those that wait in order, and refuses more than it may keep', async () => {
    const pool = new DecoderPool(limits);
    const order: number[] = [];
    const done = [1, 2, 3].map((n) => pool.decode(job(`[${n}]`)).then(() => order.push(n)));
    await expect(pool.decode(job('[4]'))).rejects.toMatchObject({ code: 'overloaded' });
    await Promise.all(done);
    expect(order).toEqual([1, 2, 3]);
  });

  test('bounds the bytes that wait', async () => {
    const pool = new DecoderPool({ ...limits, waitingBytes: 5 });
    const done = [pool.decode(job('[1]')), pool.decode(job('[2]'))];
    await expect(pool.decode(job('[3]'))).rejects.toMatchObject({ code: 'overloaded' });
    expect(await Promise.all(done)).toEqual([[1], [2]]);
  });

  test('a body that no one wants any more frees its worker, or its place', async () => {
    const pool = new DecoderPool(limits);
    const stop = new AbortController();
    const slow = `<a>${'<b/>'.repeat(400_000)}</a>`;
    const running = pool.decode(job(slow, { format: 'xml', budget: wide }), stop.signal);
    const waiting = pool.decode(job('[1]'), stop.signal);
    const next = pool.decode(job('[2]'));
    const reason = new Error('enough');
    stop.abort(reason);
    expect(await Promise.allSettled([running, waiting])).toEqual([
      { status: 'rejected', reason },
      { status: 'rejected', reason },
    ]);
    expect(await next).toEqual([2]);
    await expect(pool.decode(job('[3]'), stop.signal)).rejects.toBe(reason);
    expect(await pool.decode(job('[4]'))).toEqual([4]);
  });

  test('one body that is refused takes nothing from the next', async () => {
    const pool = new DecoderPool(limits);
    await expect(pool.decode(job('[1'))).rejects.toMatchObject({ code: 'body_undecodable' });
    expect(await pool.decode(job('[1]'))).toEqual([1]);
  });

  test('leaves the bytes that it was given', async () => {
    const bytes = Buffer.from('xx[1]xx').subarray(2, 5);
    expect(await new DecoderPool(limits).decode(job('', { bytes }))).toEqual([1]);
    expect(bytes.toString()).toBe('[1]');
  });
});

test('any value comes back from its pieces, whatever their size', () => {
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom(null, true, '', 'é', 0, -0.5, 2n ** 70n),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(fc.constantFrom('a', '1', '0', 'length', 'é'), tie('value'), { maxKeys: 4 }),
    ),
  }));
  fc.assert(
    fc.property(value, fc.integer({ min: 1, max: 9 }), (written, size) => {
      const assembly = new Assembly();
      const pieces = [...piecesOf(written, size)];
      for (const piece of pieces) assembly.add(structuredClone(piece));
      expect(assembly.value).toStrictEqual(written);
      expect(pieces.map(({ last }) => last)).toEqual([...pieces.slice(1).map(() => false), true]);
      expect(Math.max(...pieces.map(({ tokens }) => tokens.length))).toBeLessThanOrEqual(size);
    }),
  );
});
