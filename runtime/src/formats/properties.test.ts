import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeCsv, encodeCsv } from './csv.ts';
import { decodeForm, encodeForm } from './form.ts';
import { decodeJson, encodeJson } from './json.ts';
import { decodeXml, encodeXml } from './xml.ts';

const key = fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_]{0,8}$/).filter((name) => !(name in {}) && name !== 'prototype');
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
      for (const decode of [decodeJson, decodeXml, decodeForm, (csv: string) => decodeCsv(csv, { delimiter: ',' })])
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
      expect(decodeCsv(encodeCsv(kept, { delimiter }, false), { delimiter })).toEqual({ rows: kept });
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
