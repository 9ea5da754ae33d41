import { Readable } from 'node:stream';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeForm, encodeForm } from './form.ts';
import { decodeJson, encodeJson } from './json.ts';
import { decodeTable, type Row, tableRows } from './table-decoder.ts';
import { encodeTable } from './table-encoder.ts';
import { decodeXml as decodeXmlBytes } from './xml/decode.ts';
import { encodeXml } from './xml/encode.ts';

const key = fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_]{0,8}$/).filter((name) => !(name in {}) && name !== 'prototype');
const decodeXml = (text: string) => decodeXmlBytes(Buffer.from(text));
const comma = { delimiter: ',' };
const xmlText = fc
  .string({ unit: 'grapheme' })
  .filter((text) => text === text.trim() && !/[\x00-\x1f\x7f-\x9f\ufffe\uffff]/.test(text));

test('JSON without unusual numbers is read as JSON.parse reads it', () => {
  fc.assert(
    fc.property(
      fc.json({ maxDepth: 8 }).filter((text) => !/\d{16}/.test(text)),
      (text) => {
        expect(JSON.stringify(decodeJson(text))).toBe(JSON.stringify(JSON.parse(text)));
      },
    ),
  );
});

test('integers of any size come back as they were written', () => {
  fc.assert(
    fc.property(fc.bigInt(), (value) => {
      const decoded = decodeJson(`[${value}]`) as unknown[];
      expect(BigInt(decoded[0] as number)).toBe(value);
      expect(BigInt(JSON.parse(encodeJson(decoded))[0])).toBe(value);
    }),
  );
});

test('decoders of hostile text give a value or a failure of the caller', () => {
  const anything = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.stringMatching(/^[<>&;/!?[\]{}"',:a=\-\r\n\t0-9]{0,60}$/),
  );
  fc.assert(
    fc.property(anything, (text) => {
      for (const decode of [decodeJson, decodeXml, decodeForm, (csv: string) => decodeTable(Buffer.from(csv), comma)])
        try {
          decode(text);
        } catch (error) {
          expect(error).toMatchObject({
            name: 'Failure',
            code: expect.stringMatching(/^body_(undecodable|too_large)$/),
          });
        }
    }),
    { numRuns: 1000 },
  );
});

test('CSV comes back as it was written', () => {
  const rows = fc.array(fc.record({ a: fc.string(), b: fc.string() }), { minLength: 2 });
  fc.assert(
    fc.property(rows, fc.constantFrom(',', '\t', ';'), (written, delimiter) => {
      const kept = written.map((row) => ({ a: `${row.a}.`, b: row.b }));
      expect(decodeTable(Buffer.from(encodeTable(kept, { delimiter }, false)), { delimiter })).toEqual({ rows: kept });
    }),
  );
});

test('forms come back as they were written', () => {
  fc.assert(
    fc.property(fc.dictionary(key, fc.string({ unit: 'grapheme' })), (fields) => {
      expect({ ...decodeForm(encodeForm(fields)) }).toEqual(fields);
    }),
  );
});

test('XML comes back as it was written', () => {
  fc.assert(
    fc.property(fc.dictionary(key, fc.oneof(xmlText, fc.array(xmlText, { minLength: 2 })), { minKeys: 1 }), (map) => {
      expect(decodeXml(encodeXml(map))).toEqual(map);
    }),
  );
});

test('CSV that is divided anywhere gives the same rows, or the same failure', async () => {
  const anything = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.stringMatching(/^(?:"[a,"\r\n]{0,9}"|[a,"\r\né€😀]){0,40}$/u),
  );
  const outcome = async (pieces: readonly Uint8Array[]): Promise<unknown> => {
    const rows: Row[] = [];
    try {
      const source = Readable.from(pieces) as AsyncIterable<Uint8Array>;
      for await (const row of tableRows(source, comma)) rows.push(row);
      return rows;
    } catch (error) {
      return String(error);
    }
  };
  const whole = (bytes: Uint8Array): unknown => {
    try {
      return decodeTable(bytes, comma)['rows'];
    } catch (error) {
      return String(error);
    }
  };
  await fc.assert(
    fc.asyncProperty(anything, fc.array(fc.nat(60)), async (text, places) => {
      const bytes = Buffer.from(text);
      const cuts = [0, ...places.filter((at) => at < bytes.length).sort((a, b) => a - b), bytes.length];
      const pieces = cuts.slice(1).map((end, index) => bytes.subarray(cuts[index], end));
      expect(await outcome(pieces)).toEqual(whole(bytes));
    }),
    { numRuns: 2000 },
  );
});
