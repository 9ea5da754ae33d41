import { describe, expect, test } from 'vitest';
import { decodeXml as decodeBytes } from './decode.ts';
import { encodeXml, xmlFrame } from './encode.ts';

const decodeXml = (text: string) => decodeBytes(Buffer.from(text));

describe('decoding', () => {
  test.each<[string, unknown]>([
    ['<o><a>1</a><b/><c></c></o>', { a: '1', b: '', c: '' }],
    ['<o><i>1</i><x/><i>2</i></o>', { i: ['1', '2'], x: '' }],
    ['<o id="7"><a k="v">text</a></o>', { '@id': '7', a: { '@k': 'v', '#text': 'text' } }],
    ['<s:o xmlns:s="u" xmlns="v" s:id="1"><s:a>1</s:a></s:o>', { '@id': '1', a: '1' }],
    ['<?xml version="1.0"?><!-- c --><o><a><![CDATA[<b>&amp;]]></a></o>', { a: '<b>&amp;' }],
    ['<o><a>&lt;&gt;&amp;&quot;&apos;&#65;&#x42;</a></o>', { a: '<>&"\'AB' }],
    ['<o>  just text </o>', { value: 'just text' }],
    ['<o/>', {}],
    ['<o><n>007</n><t>true</t></o>', { n: '007', t: 'true' }],
    ['<o><toString>1</toString><hasOwnProperty>2</hasOwnProperty></o>', { toString: '1', hasOwnProperty: '2' }],
    ['<o><a><![CDATA[<!DOCTYPE x>]]></a></o>', { a: '<!DOCTYPE x>' }],
    [
      '<o xml:id="1" id="2" s:id="3" xmlns:s="u" s:lang="x"/>',
      { '@xml:id': '1', '@id': '2', '@s:id': '3', '@lang': 'x' },
    ],
    ['<o><a> x\u00a0 </a><b> <![CDATA[ y ]]> </b></o>', { a: 'x\u00a0', b: ' y ' }],
    ['<o>one<a/><!-- c -->two<?p i?> </o>', { '#text': 'onetwo', a: '' }],
    ['<o><__proto__>1</__proto__><constructor/></o>', JSON.parse('{"__proto__":"1","constructor":""}')],
    ['<o a="x&#10;y\nz"/>', { '@a': 'x\ny z' }],
  ])('%s', (text, value) => {
    expect(decodeXml(text)).toEqual(value);
  });

  test.each([
    ['<o><a></o>', /not valid XML/],
    ['<o/><p/>', /not valid XML/],
    ['', /not valid XML/],
    ['text', /not valid XML/],
    ['<o>&nbsp;</o>', /the entity &nbsp; is not accepted/],
    ['<o>&custom;</o>', /the entity &custom; is not accepted/],
    ['<o>a & b</o>', /not valid XML/],
    ['<o>&#0;</o>', /malformed character entity \(line 1\)/],
    ['<o>&constructor;</o>', /the entity &constructor; is not accepted/],
    ['<o a="&x;"/>', /the entity &x; is not accepted/],
  ])('%s is refused', (text, message) => {
    expect(() => decodeXml(text)).toThrow(message);
  });

  test.each([
    '<!DOCTYPE o [<!ENTITY a "b">]><o>&a;</o>',
    '<!DOCTYPE o SYSTEM "file:///nowhere"><o/>',
    '<!doctype o><o/>',
    '<?xml version="1.0"?>\n<!DOCTYPE o [<!ENTITY % p SYSTEM "http://nowhere.invalid/x.dtd">%p;]><o/>',
    '<o><!ENTITY a "b"></o>',
    `<!DOCTYPE l [${'<!ENTITY a "b">'.repeat(1000)}]><l/>`,
  ])('S-57: %s is refused unread', (text) => {
    expect(() => decodeXml(text)).toThrow(/document types and entities are not accepted/);
  });

  test('S-57: included documents are only elements, depth is bounded', () => {
    expect(decodeXml('<o xmlns:xi="u"><xi:include href="file:///etc/passwd"/></o>')).toEqual({
      include: { '@href': 'file:///etc/passwd' },
    });
    expect(() => decodeXml('<a>'.repeat(5000) + '</a>'.repeat(5000))).toThrow(
      'the body is nested deeper than 100 levels',
    );
  });

  test('S-58: maps inherit nothing', () => {
    const map = decodeXml('<o><a>1</a><__proto__><isAdmin>true</isAdmin></__proto__></o>') as object;
    expect(['__proto__', 'constructor', 'toString', 'isAdmin'].map((name) => name in map)).toEqual([
      true,
      false,
      false,
      false,
    ]);
    expect(Object.keys(map)).toEqual(['a', '__proto__']);
  });
});

describe('encoding', () => {
  const body = (value: unknown) => encodeXml(value).replace('<?xml version="1.0" encoding="UTF-8"?>\n', '');

  test('maps, lists, attributes, text, null and empty maps', () => {
    expect(
      encodeXml({
        '@id': 1,
        name: 'a<b',
        tags: ['x', null],
        nested: { '@k': 'v', '#text': 't' },
        none: null,
        empty: {},
      }),
    ).toBe(
      [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<root id="1">',
        '  <name>a&lt;b</name>',
        '  <tags>x</tags>',
        '  <tags/>',
        '  <nested k="v">t</nested>',
        '  <none/>',
        '  <empty/>',
        '</root>',
        '',
      ].join('\n'),
    );
  });

  test('a list at the top has items, a scalar is text', () => {
    expect(body([1, { a: 2n }])).toBe('<root>\n  <item>1</item>\n  <item>\n    <a>2</a>\n  </item>\n</root>\n');
    expect(body('x')).toBe('<root>x</root>\n');
    expect(body([])).toBe('<root/>\n');
  });

  test('no key and no value can become markup', () => {
    expect(body({ 'a><b': '<c/>', '1x': '\0', '@k="': '"' })).toBe(
      '<root k__="&quot;">\n  <a__b>&lt;c/&gt;</a__b>\n  <_1x>\ufffd</_1x>\n</root>\n',
    );
  });

  test('prefixes that are declared are written, others are not names', () => {
    const value = {
      '@xmlns': 'urn:d',
      '@xmlns:s': 'urn:s',
      '@s:id': 1,
      's:a': { '@xmlns:t': 'urn:t', 't:b': '', 'u:b': null },
      't:c': { '#text': { d: 1 } },
      '@xmlns:xml': 'urn:x',
      '@xmlns:': 'urn:x',
    };
    expect(body(value)).toBe(
      [
        '<root xmlns="urn:d" xmlns:s="urn:s" s:id="1" xmlns_xml="urn:x" xmlns_="urn:x">',
        '  <s:a xmlns:t="urn:t">',
        '    <t:b></t:b>',
        '    <u_b/>',
        '  </s:a>',
        '  <t_c>',
        '    <_text>',
        '      <d>1</d>',
        '    </_text>',
        '  </t_c>',
        '</root>',
        '',
      ].join('\n'),
    );
  });

  test.each([
    { '@a b': 1, '@a_b': 2 },
    { '@xmlns:p': 'urn:x', '@xmlns:q': 'urn:x', '@p:a': 1, '@q:a': 2 },
  ])('an attribute that would be there twice is refused: %j', (value) => {
    expect(() => encodeXml(value)).toThrow(/^the element <root> would have the attribute .* twice$/);
  });

  test('texts keep their blanks, line ends and what looks like markup', () => {
    const value = { a: ' x\r\n', b: '\t', c: 'x]]>y', '@d': '\t"\n\r', e: ['', ' '] };
    expect(decodeXml(encodeXml(value))).toEqual(value);
  });

  test('a frame gives the same text as the whole document', () => {
    const outer = { '@xmlns:p': 'urn:p', 'p:body': { 'p:answer': { '@xmlns:q': 'urn:q&<', '@a': '<inside/>' } } };
    const frame = xmlFrame(outer, 'p:root');
    const inside = (fields: Readonly<Record<string, unknown>>) =>
      encodeXml({ ...outer, 'p:body': { 'p:answer': { ...outer['p:body']['p:answer'], ...fields } } }, 'p:root');
    const samples = [
      {},
      { empty: [] },
      { left: undefined },
      { text: ' a<b ', 'q:known': 1n, 'r:unknown': null, list: [1, { deep: [[2]] }], map: { '@b': 'c', '#text': 'd' } },
      { '<a>': true, date: new Date(0), bytes: new Uint8Array([1, 2]) },
    ];
    for (const sample of samples) expect(frame(sample)).toBe(inside(sample));
    for (const special of [{ '@b': 'c' }, { '#text': 'd' }]) expect(frame(special)).toBeUndefined();
  });

  test('what was decoded comes back', () => {
    const text = '<root id="1">\n  <a k="v">t</a>\n  <i>1</i>\n  <i>2</i>\n  <n>\n    <m>&amp;</m>\n  </n>\n</root>\n';
    expect(body(decodeXml(text))).toBe(text);
  });
});
