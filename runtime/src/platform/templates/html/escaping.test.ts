import { describe, expect, test } from 'vitest';
import type { Dialect } from '../compile/compile.ts';
import { templateOf } from '../template.ts';

const html: Dialect = { escaping: 'html', pipes: true };
const rendered = (source: string, data: unknown) => templateOf('a.html', source, html).render(data, { most: 10_000 });

describe('S-54: a value stays data wherever it is written', () => {
  const hostile = `<script>alert('1')</script>"&`;
  const safe = '&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&#34;&amp;';
  test.each([
    ['<p>{{.}}</p>', `<p>${safe}</p>`],
    ['<p title="{{.}}">', `<p title="${safe}">`],
    ["<p title='{{.}}'>", `<p title='${safe}'>`],
    ['<p title={{.}}>', `<p title=${safe}>`],
    ['<textarea>{{.}}</textarea>', `<textarea>${safe}</textarea>`],
    ['<!-- {{.}} --><b>{{.}}</b>', `<!--  --><b>${safe}</b>`],
    ['<a href="/find?q={{.}}">', '<a href="/find?q=%3Cscript%3Ealert(%271%27)%3C%2Fscript%3E%22%26">'],
    ['<a href="/{{.}}">', '<a href="/%3Cscript%3Ealert%28%271%27%29%3C/script%3E%22&amp;">'],
    ['1 < 2 {{.}}', `1 < 2 ${safe}`],
    [
      '{{define "cell"}}{{.}}{{end}}<p title="{{template "cell" .}}">{{template "cell" .}}',
      `<p title="${safe}">${safe}`,
    ],
    ['{{if .}}<p title="{{.}}">{{else}}<p>{{end}}{{.}}', `<p title="${safe}">${safe}`],
    ['{{. | html}}{{html .}}', safe + safe],
    ['{{raw .}}', hostile],
    ['<p title="{{raw .}}">', `<p title="${safe}">`],
    ['{{.missing}}'.replace('.missing', 'nil'), '&lt;no value&gt;'],
  ])('%s', async (source, text) => {
    expect(await rendered(source, hostile)).toBe(text);
  });

  test('unquoted values keep their blanks', async () => {
    expect(await rendered('<p title={{.}} class=x>', 'a onclick=b')).toBe('<p title=a&#32;onclick&#61;b class=x>');
    expect(await rendered('<p title={{.}}>', '')).toBe('<p title="">');
  });

  test.each([['javascript:alert(1)'], [' \tJava\nScript:alert(1)'], ['data:text/html,x'], ['vbscript:x']])(
    'an address that acts is refused: %j',
    async (address) => {
      await expect(rendered('<a href="{{.}}">', address)).rejects.toMatchObject({ code: 'expression_failed' });
      await expect(rendered('<a href={{.}}>', address)).rejects.toMatchObject({ code: 'expression_failed' });
    },
  );

  test.each([
    ['https://a.example/b?c=1#d'],
    ['mailto:a@b.example'],
    ['/a/b'],
    ['a:b/c'.replace(':', '/')],
    ['#top'],
    ['data:image/png;base64,AAAA'],
  ])('an address that is one stays as it is: %s', async (address) => {
    expect(await rendered('<a href="{{.}}">', address)).toBe(`<a href="${address}">`);
  });

  test('a style takes words, numbers and colours alone', async () => {
    expect(await rendered('<p style="color: {{.}}">', '#ff0000')).toBe('<p style="color: #ff0000">');
    await expect(rendered('<p style="color: {{.}}">', 'red; background: url(x)')).rejects.toMatchObject({
      code: 'expression_failed',
    });
    await expect(rendered('<style>p { color: {{.}} }</style>', '</style>')).rejects.toMatchObject({
      code: 'expression_failed',
    });
  });

  test.each([
    ['<{{.}}>', 'a value cannot be the name of a tag or of an attribute'],
    ['<p {{.}}>', 'a value cannot be the name of a tag or of an attribute'],
    ['<p on{{.}}="x">', 'a value cannot be the name of a tag or of an attribute'],
    ['<p onclick="f({{.}})">', 'a value cannot be written in the attribute "onclick"'],
    ['<script>{{.}}</script>', 'a value cannot be written inside of <script>'],
    ['<p title="{{if .}}">{{end}}', 'the branches of {{if}} end at different places'],
    ['{{range .}}<p title="{{end}}', 'the branches of {{range}} end at different places'],
    ['<p title="', 'the template ends inside of a tag'],
  ])('%s is refused at start', (source, message) => {
    expect(() => templateOf('a.html', source, html)).toThrow(message);
  });
});
