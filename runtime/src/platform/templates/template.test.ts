import { describe, expect, test } from 'vitest';
import type { Dialect } from './compile/compile.ts';
import { TemplateProblem } from './syntax/problem.ts';
import { templateOf } from './template.ts';

const plain: Dialect = { escaping: 'none', pipes: true };

function rendered(source: string, data: unknown = {}, dialect: Dialect = plain): Promise<string> {
  return templateOf('a.txt', source, dialect).render(data, { most: 1_000_000 });
}

const order = {
  name: 'Ada',
  none: null,
  empty: '',
  count: 3,
  big: 9007199254740993n,
  price: 12.5,
  tags: ['a', 'b'],
  none_of: [],
  by: { y: 2, x: 1 },
  lines: [
    { sku: 'p1', n: 2 },
    { sku: 'p2', n: 1 },
  ],
  customer: { address: { city: 'Bern' } },
};

describe('a template', () => {
  test.each([
    ['{{.name}} {{.customer.address.city}}', 'Ada Bern'],
    ['{{.missing}}|{{.missing.deeper}}|{{.none}}', '<no value>|<no value>|<no value>'],
    ['a {{- /* nothing */ -}} b{{/* also\nnothing */}}c', 'abc'],
    ['a \n {{- .name -}} \n b', 'aAdab'],
    ['{{"a\\tb\\u00e4"}}{{`raw\\n`}}{{\'a\'}} {{1_000}} {{0x1F}} {{-1.5}} {{1e3}}', 'a\tbäraw\\n97 1000 31 -1.5 1000'],
    ['{{if .count}}yes{{else}}no{{end}}{{if .empty}}yes{{else}}no{{end}}', 'yesno'],
    ['{{if .none}}a{{else if .empty}}b{{else if .name}}c{{else}}d{{end}}', 'c'],
    ['{{with .customer}}{{.address.city}}{{else}}none{{end}}{{with .none}}x{{else}}none{{end}}', 'Bernnone'],
    ['{{range .lines}}{{.n}} {{.sku}};{{end}}', '2 p1;1 p2;'],
    ['{{range $i, $line := .lines}}{{$i}}={{$line.sku}}/{{$.name}};{{end}}', '0=p1/Ada;1=p2/Ada;'],
    ['{{range $key, $value := .by}}{{$key}}{{$value}}{{end}}', 'x1y2'],
    ['{{range .none_of}}x{{else}}none{{end}}{{range .none}}x{{else}}none{{end}}', 'nonenone'],
    ['{{range 3}}{{.}}{{end}}', '012'],
    ['{{range .tags}}{{if eq . "b"}}{{break}}{{end}}{{.}}{{end}}', 'a'],
    ['{{range .tags}}{{if eq . "a"}}{{continue}}{{end}}{{.}}{{end}}', 'b'],
    ['{{$x := 1}}{{range .tags}}{{$x = .}}{{end}}{{$x}}', 'b'],
    ['{{$x := 1}}{{if true}}{{$x := 2}}{{$x}}{{end}}{{$x}}', '21'],
    ['{{len .tags}} {{len "ä"}} {{len .by}}', '2 2 2'],
    ['{{index .tags 1}} {{index .lines 0 "sku"}} {{index .by "z"}}', 'b p1 <no value>'],
    ['{{.tags}} {{.by}} {{.big}} {{.price}} {{true}}', '[a b] map[x:1 y:2] 9007199254740993 12.5 true'],
    ['{{and .name .empty .none.x}}|{{or .empty .name}}|{{not .none}}', '|Ada|true'],
    [
      '{{eq .count 1 2 3}} {{ne .name "Bob"}} {{lt 1 2}} {{le 2 2}} {{gt .price 12}} {{ge .big 3}}',
      'true true true true true true',
    ],
    ['{{eq .none nil}} {{eq .name nil}}', 'true false'],
    [
      '{{.price | printf "%.2f"}} {{printf "%5.1f|%-5s|%05d|%x|%q|%v|%%" 2.25 "ab" 42 255 "q" .tags}}',
      '12.50   2.3|ab   |00042|ff|"q"|[a b]|%',
    ],
    ['{{printf "%d" .price}} {{printf "%d"}} {{printf "x" 1}}', '%!d(float64=12.5) %!d(MISSING) x%!(EXTRA int=1)'],
    ['{{(index .lines 1).sku}} {{print 1 2 "a" 3}} {{slice "hello" 1 3}} {{urlquery "a b&c"}}', 'p2 1 2a3 el a+b%26c'],
    ['{{define "row"}}<{{.}}>{{end}}{{range .tags}}{{template "row" .}}{{end}}', '<a><b>'],
    ['{{block "head" .customer}}{{.address.city}}{{end}}{{template "head" .customer}}', 'BernBern'],
    ['{{define "down"}}{{.n}}{{with .next}}{{template "down" .}}{{end}}{{end}}{{template "down" .chain}}', '12'],
    ['{{html "<a>"}} {{js "it\'s"}}', '&lt;a&gt; it\\u0027s'],
  ])('%s', async (source, text) => {
    expect(await rendered(source, { ...order, chain: { n: 1, next: { n: 2 } } })).toBe(text);
  });

  test.each([
    ['a{{.name', 'the action has no end: }} is missing', 1],
    ['\n{{if .a}}', 'the block that begins here has no {{end}}', 2],
    ['{{end}}', '{{end}} ends nothing', 1],
    ['{{else}}', '{{else}} ends nothing', 1],
    ['{{if .a}}{{else}}{{else}}{{end}}', '{{else}} follows {{else}}', 1],
    ['{{break}}', '{{break}} is outside of {{range}}', 1],
    ['{{/* a', 'the comment has no end', 1],
    ['{{.a.}}', '"." is not expected here', 1],
    ['{{$x}}', 'the variable $x is not declared', 1],
    ['{{if true}}{{$x := 1}}{{end}}{{$x}}', 'the variable $x is not declared', 1],
    ['{{nothing .a}}', 'there is no function "nothing"', 1],
    ['{{len}}', 'len takes 1 values, and has 0', 1],
    ['{{.a .b}}', 'only functions take arguments: the first word is not a function', 1],
    ['{{template "x"}}', 'the template "x" is not defined', 1],
    ['{{"a\\z"}}', '"a\\z" is malformed', 1],
    ['{{#each}}', 'the character "#" is not understood', 1],
    ['{{}}', 'a value is missing', 1],
    ['{{(.a}}', 'a ) is missing', 1],
    [`${'{{if .a}}'.repeat(300)}`, 'more than 200 blocks inside each other', 1],
    [`{{${'('.repeat(300)}}}`, 'more than 100 ( inside each other', 1],
  ])('A-12: %s is refused with its line', (source, message, line) => {
    let problem: unknown;
    try {
      templateOf('a.txt', source, plain);
    } catch (error) {
      problem = error;
    }
    expect(problem).toBeInstanceOf(TemplateProblem);
    expect(problem).toMatchObject({ message, line });
  });

  test.each([
    ['\n{{.name.first}}', 'a.txt, line 2: a text has no field "first"'],
    ['{{index .tags 5}}', 'a.txt, line 1: index: 5 is not in a list of 2'],
    ['{{lt .name 1}}', 'a.txt, line 1: a text cannot be compared with a number'],
    ['{{len 5}}', 'a.txt, line 1: len: a number has no length'],
    ['{{range .name}}{{end}}', 'a.txt, line 1: range cannot go over a text'],
    ['{{define "a"}}{{template "a"}}{{end}}{{template "a"}}', 'more than 200 templates call each other'],
  ])('%s fails with these values', async (source, message) => {
    await expect(rendered(source, order)).rejects.toMatchObject({ code: 'expression_failed', message });
  });

  test('S-58: names of prototypes are not fields', async () => {
    const source = '{{.constructor}} {{.__proto__}} {{index . "toString"}} {{.tags.length}}';
    await expect(rendered(source, { tags: {} })).resolves.toBe('<no value> <no value> <no value> <no value>');
  });

  test('pipes are refused where a dialect excludes them', () => {
    expect(() => templateOf('a', '{{.a | len}}', { escaping: 'html', pipes: false })).toThrow(
      'there are no pipes here',
    );
  });

  test('A-06: prints no more than it may, and lets other work run meanwhile', async () => {
    const many = templateOf('a', '{{range 100000}}{{range 100000}}x{{end}}{{end}}', plain);
    await expect(many.render({}, { most: 1000 })).rejects.toMatchObject({ code: 'body_too_large' });
    const silent = templateOf('a', '{{range 1000000000000}}{{end}}', plain);
    const stop = new AbortController();
    setImmediate(() => stop.abort(new Error('stopped')));
    await expect(silent.render({}, { most: 1000, signal: stop.signal })).rejects.toThrow('stopped');
  });
});
