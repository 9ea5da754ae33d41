import { describe, expect, test } from 'vitest';
import type { DecodingBudget } from './budget.ts';
import { bookOf, textRow } from './excel/testing/package.ts';
import { bodyFormatNames, type FormatName } from './format-spec.ts';
import { codecOf } from './registry.ts';

/** Documents of one shape that grow with `size`; each is the worst of its kind for some decoder. */
type Shapes = Readonly<Record<string, (size: number) => string | Uint8Array>>;

const list = (size: number, item: (at: number) => string) => Array.from({ length: size }, (_, at) => item(at));

const sheet = (rows: string, texts?: string) =>
  bookOf({ sheets: { Data: rows }, ...(texts !== undefined && { texts }) }, { stored: true });

/** A new codec is listed here too: the compiler asks for its line. */
const shapes: Readonly<Record<FormatName, Shapes>> = {
  json: {
    lists: (size) => `[${list(size, () => '[]').join()}]`,
    maps: (size) => `[${list(size, () => '{}').join()}]`,
    keys: (size) => `{${list(size, (at) => `"k${at}":1`).join()}}`,
    'maps with keys': (size) => `[${list(size, (at) => `{"k${at}":1}`).join()}]`,
    'maps with prototypes': (size) => `[${list(size, (at) => `{"__proto__":${at}}`).join()}]`,
    'small numbers beside a large one': (size) => `[${list(size, () => '1').join()},9007199254740993]`,
    'large numbers': (size) => `[${list(size, () => '9007199254740993').join()}]`,
    digits: (size) => `[${'9'.repeat(size)}]`,
    depth: (size) => '['.repeat(size) + ']'.repeat(size),
    escapes: (size) => `["${'\\u0041'.repeat(size)}"]`,
    'a string that is never closed': (size) => `["${'x'.repeat(size)}`,
  },
  xml: {
    elements: (size) => `<a>${'<b/>'.repeat(size)}</a>`,
    pairs: (size) => `<a>${'<b>1</b>'.repeat(size)}</a>`,
    names: (size) => `<a>${list(size, (at) => `<b${at}/>`).join('')}</a>`,
    attributes: (size) => `<a${list(size, (at) => ` b${at}=""`).join('')}/>`,
    depth: (size) => '<a>'.repeat(size) + '</a>'.repeat(size),
    text: (size) => `<a>${'x '.repeat(size)}</a>`,
    entities: (size) => `<a>${'&amp;'.repeat(size)}</a>`,
    'long name': (size) => `<${'a'.repeat(size)}/>`,
    comments: (size) => `<a>${'<!---->'.repeat(size)}</a>`,
    instructions: (size) => `<a>${'<?a?>'.repeat(size)}</a>`,
    sections: (size) => `<a>${'<![CDATA[x]]>'.repeat(size)}</a>`,
    'angles that open nothing': (size) => `<a>${'<'.repeat(size)}`,
    'a tag that is never closed': (size) => `<a ${'b '.repeat(size)}`,
    'tags that are never closed': (size) => '<a>'.repeat(size),
    'comments that are never closed': (size) => `<a>${'<!--'.repeat(size)}`,
    'quotes that are never closed': (size) => `<a b="${'" c="'.repeat(size)}`,
  },
  ndjson: {
    lines: (size) => '1\n'.repeat(size),
    'lines of lists': (size) => '[]\n'.repeat(size),
    keys: (size) => list(size, (at) => `{"k${at}":1}\n`).join(''),
    'one line': (size) => `[${list(size, () => '1').join()}]\n`,
    depth: (size) => '['.repeat(size) + ']'.repeat(size),
    'empty lines': (size) => '\n'.repeat(size),
    'a line that never ends': (size) => ' '.repeat(size),
  },
  // Not compressed: what a document inflates to is bounded for itself.
  excel: {
    rows: (size) => sheet(textRow('a') + textRow('1').repeat(size)),
    'empty rows': (size) => sheet(textRow('a') + '<row/>'.repeat(size)),
    'cells beside the header': (size) => sheet(textRow('a') + '<row><c r="XFD1"><v>1</v></c></row>'.repeat(size)),
    'a wide header and short rows': (size) =>
      sheet(textRow(...list(Math.min(size, 16_384), (at) => `c${at}`)) + textRow('1').repeat(size)),
    'equal names of columns': (size) => sheet(textRow(...list(Math.min(size, 16_384), () => 'c'))),
    'long numbers': (size) => sheet(textRow('a') + '<row><c><v>1E300</v></c></row>'.repeat(size)),
    'shared texts': (size) => sheet(textRow('a'), '<si><t>x</t></si>'.repeat(size)),
    'runs of one text': (size) => sheet(textRow('a'), `<si>${'<r><t>x</t></r>'.repeat(size)}</si>`),
    'cells that are never closed': (size) => sheet(`<row>${'<c>'.repeat(size)}`),
    'cells out of order': (size) =>
      sheet(`${textRow('a')}<row>${'<c r="B1"><v>1</v></c><c r="A1"><v>1</v></c>'.repeat(size)}</row>`),
  },
  csv: {
    rows: (size) => `a\n${'1\n'.repeat(size)}`,
    columns: (size) => list(size, (at) => `c${at}`).join(),
    'a wide header and short rows': (size) => `${list(size, (at) => `c${at}`).join()}\n${'1\n'.repeat(size)}`,
    'quoted cells': (size) => `a\n${'"1"\n'.repeat(size)}`,
    quotes: (size) => `a\n"${'""'.repeat(size)}"`,
    'a quote that is never closed': (size) => `a\n"${'""'.repeat(size)}`,
    'empty lines': (size) => '\n'.repeat(size),
    delimiters: (size) => ','.repeat(size),
  },
  tsv: {
    'a wide header and short rows': (size) => `${list(size, (at) => `c${at}`).join('\t')}\n${'1\n'.repeat(size)}`,
  },
  binary: {},
  form: {
    fields: (size) => list(size, (at) => `k${at}=1`).join('&'),
    'one field': (size) => 'a=1&'.repeat(size),
    escapes: (size) => `a=${'%41'.repeat(size)}`,
    ampersands: (size) => '&'.repeat(size),
  },
};

const each = bodyFormatNames.flatMap((format) =>
  Object.entries(shapes[format]).map(([shape, text]) => ({ format, shape, text })),
);

/** Everything that a value consists of: its lists, maps, keys and other values. */
function sizeOf(value: unknown): number {
  if (typeof value === 'string') return 1 + value.length / 16;
  if (typeof value === 'bigint') return 1 + value.toString(16).length / 16;
  if (typeof value !== 'object' || value === null) return 1;
  let size = 1;
  for (const [key, item] of Object.entries(value))
    size += 1 + (Array.isArray(value) ? 0 : key.length / 16) + sizeOf(item);
  return size;
}

async function decoder(format: FormatName, budget: DecodingBudget) {
  const codec = await codecOf(format);
  return async (document: string | Uint8Array): Promise<unknown> => {
    try {
      return await codec.decode(Buffer.from(document), { budget });
    } catch (error) {
      return error;
    }
  };
}

/**
 * The least time of several attempts, in milliseconds: whatever else the machine does only adds to it. What takes next
 * to no time is not measured.
 */
async function cost(work: () => Promise<unknown>): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < 3; attempt++) {
    const began = performance.now();
    await work();
    least = Math.min(least, performance.now() - began);
  }
  return Math.max(least, 0.02);
}

/** How much longer the larger input takes, in the best of some rounds: a disproportionate one does so in every round. */
async function growth(small: () => Promise<unknown>, large: () => Promise<unknown>, enough: number): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 12 && least >= enough; round++)
    least = Math.min(least, (await cost(large)) / (await cost(small)));
  return least;
}

describe('what every codec makes of a document is in proportion to its size', () => {
  const wide: DecodingBudget = { depth: 100, keys: 1e9, values: 1e9, digits: 1e3 };

  test.each(each)('$format, $shape: output', async ({ format, text }) => {
    const decode = await decoder(format, wide);
    const perByte: number[] = [];
    for (const size of [1_000, 4_000]) {
      const document = text(size);
      const value = await decode(document);
      perByte.push(value instanceof Error ? 0 : sizeOf(value) / document.length);
    }
    expect(Math.max(...perByte)).toBeLessThan(8);
    expect(perByte[1]).toBeLessThanOrEqual((perByte[0] as number) * 1.5);
  });

  test.each(each)('$format, $shape: time', async ({ format, text }) => {
    const decode = await decoder(format, wide);
    const [small, large] = [text(2_000), text(32_000)];
    await decode(small);
    // Sixteen times the input: a decoder that takes quadratic time needs 256 times as long.
    expect(
      await growth(
        () => decode(small),
        () => decode(large),
        128,
      ),
    ).toBeLessThan(128);
  });
});

describe('every codec keeps the budget', () => {
  test.each(each)('$format, $shape', async ({ format, text }) => {
    const budget: DecodingBudget = { depth: 20, keys: 500, values: 500, digits: 100 };
    const value = await (await decoder(format, budget))(text(5_000));
    if (value instanceof Error)
      expect(value).toMatchObject({ code: expect.stringMatching(/^body_(undecodable|too_large)$/) });
    else expect(sizeOf(value)).toBeLessThan(4 * 500 + text(5_000).length / 16);
  });

  test.each([
    ['json', 'depth', '['.repeat(101) + ']'.repeat(101), 'the body is nested deeper than 100 levels'],
    ['json', 'values', `[${'1,'.repeat(100_000)}1]`, 'the body holds more than 100000 values'],
    ['json', 'digits', `[${'9'.repeat(1_001)}]`, 'the body holds a number of more than 1000 digits'],
    ['xml', 'depth', '<a>'.repeat(102) + '</a>'.repeat(102), 'the body is nested deeper than 100 levels'],
    ['xml', 'elements', `<a>${'<b/>'.repeat(100_001)}</a>`, 'the body holds more than 100000 values'],
    ['ndjson', 'values', '[1,2]\n'.repeat(33_334), 'the body holds more than 100000 values'],
    ['ndjson', 'depth', `1\n${'['.repeat(101) + ']'.repeat(101)}`, 'line 2 is nested deeper than 100 levels'],
    ['csv', 'cells', `a\n${'1\n'.repeat(100_000)}`, 'the body holds more than 100000 values'],
    ['form', 'fields', 'a&'.repeat(100_001), 'the body has more than 100000 keys'],
  ] as const)('%s: %s', async (format, what, text, message) => {
    const codec = await codecOf(format);
    const code = what === 'depth' ? 'body_undecodable' : 'body_too_large';
    expect(() => codec.decode(Buffer.from(text))).toThrow(expect.objectContaining({ code, message }));
  });
});
