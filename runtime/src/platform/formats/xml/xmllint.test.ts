import { spawn } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { folderWith } from '../../../../../test/support/folder.ts';
import { decodeXml } from './decode.ts';
import { encodeXml } from './encode.ts';

/** The path of xmllint, which is asked for a second opinion. */
const xmllint = process.env['TEST_XMLLINT'];
const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** What xmllint says of each document; empty where it is well-formed and its prefixes are declared. */
async function opinions(documents: readonly (string | Uint8Array)[]): Promise<string[]> {
  const folder = folderWith();
  folders.push(folder);
  const names = documents.map((_, at) => `${at}.xml`);
  for (const [at, document] of documents.entries()) writeFileSync(join(folder, names[at] as string), document);
  const child = spawn(xmllint as string, ['--noout', '--nonet', ...names], { cwd: folder });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    said += text;
  });
  await new Promise((resolve) => child.on('close', resolve));
  const lines = said.split('\n');
  return names.map((name) => lines.filter((line) => line.startsWith(`${name}:`)).join('\n'));
}

const refusalOf = (document: string | Uint8Array): string => {
  try {
    decodeXml(Buffer.from(document));
    return '';
  } catch (error) {
    return (error as Error).message;
  }
};

test.skipIf(xmllint === undefined)('whatever is written is well-formed, with every prefix declared', async () => {
  const key = fc.oneof(
    fc.constantFrom(
      'a',
      '@a',
      'p:a',
      '@p:a',
      '@xmlns',
      '@xmlns:p',
      '@xmlns:xml',
      'xmlns:q',
      '#text',
      'xml:lang',
      '@xml:lang',
    ),
    fc.string({ unit: 'binary', maxLength: 4 }),
  );
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      fc.string({ unit: 'binary', maxLength: 8 }),
      fc.constantFrom(null, 1, true, 'urn:x', ' x\r\n', ']]>'),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(key, tie('value'), { maxKeys: 4 }),
    ),
  }));
  const documents = fc.sample(value, 400).flatMap((sample) => {
    try {
      return [encodeXml(sample)];
    } catch (error) {
      expect(error).toMatchObject({ code: 'output_invalid', message: expect.stringMatching(/ twice$/) });
      return [];
    }
  });
  expect(documents.length).toBeGreaterThan(300);
  const said = await opinions(documents);
  // A namespace that is not a URI is reported, and allowed.
  const isOfUri = (text: string) => /: namespace (?:warning|error) : xmlns(?::p)?: /.test(text);
  expect(said.filter((text) => text !== '' && !isOfUri(text))).toEqual([]);
  expect(documents.map(refusalOf).filter((text) => text !== '')).toEqual([]);
});

test.skipIf(xmllint === undefined)('what is malformed is refused by both', async () => {
  const malformed = [
    '<a>',
    '<a></b>',
    '<a/><b/>',
    'a<b/>',
    '<a/>b',
    '<a b=c/>',
    '<a b="1" b="2"/>',
    '<a b="<"/>',
    '<a>&</a>',
    '<a>& b;</a>',
    '<a>&b</a>',
    '<a>&#0;</a>',
    '<a>&#x110000;</a>',
    '<a>&nbsp;</a>',
    '<a>]]></a>',
    '<a>\u0001</a>',
    '<a>\ufffe</a>',
    '<1/>',
    '<a><!-- -- --></a>',
    '<a><?xml version="1.0"?></a>',
    ' <?xml version="1.0"?><a/>',
    '<?xml version="2"?><a/>',
    '<?xml encoding="utf-8"?><a/>',
    '<a><![CDATA[</a>',
    '<a b/>',
    '<a b="1"c="2"/>',
    '< a/>',
    '',
  ];
  const said = await opinions(malformed);
  const accepted = malformed.filter((text, at) => refusalOf(text) === '' || said[at] === '');
  expect(accepted).toEqual([]);
});

test.skipIf(xmllint === undefined)(
  'what is well-formed is read by both, in the character set that it says',
  async () => {
    const text = '<a><b>é€</b></a>';
    const documents: [Buffer, string][] = [
      [Buffer.from(`\ufeff${text}`), 'é€'],
      [Buffer.from(`\ufeff<?xml version="1.0" encoding="UTF-16"?>${text}`, 'utf16le'), 'é€'],
      [Buffer.from(`\ufeff<?xml version="1.0" encoding="UTF-16"?>${text}`, 'utf16le').swap16(), 'é€'],
      [Buffer.from('<?xml version="1.0" encoding="ISO-8859-1"?><a><b>é</b></a>', 'latin1'), 'é'],
      [Buffer.from(`<?xml version='1.0' encoding='windows-1252' ?><a><b>\x80</b></a>`, 'latin1'), '€'],
    ];
    expect(await opinions(documents.map(([bytes]) => bytes))).toEqual(documents.map(() => ''));
    expect(documents.map(([bytes]) => decodeXml(bytes))).toEqual(documents.map(([, b]) => ({ b })));
  },
);
