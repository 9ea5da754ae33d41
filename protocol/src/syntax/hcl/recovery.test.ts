// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are HCL, which has such templates of its own
import { describe, expect, test } from 'vitest';
import type { Body } from '../tree.ts';
import { parseHcl } from './parse.ts';

/** The items of a text in short: `a`, `a=` without a value, `b.label{…}`, `b{…` when it is not complete. */
function outline(body: Body): string {
  return body.items
    .map((item) => {
      if (item.kind === 'attribute') return item.value === undefined ? `${item.name.text}=` : item.name.text;
      const head = [item.type.text, ...item.labels.map((label) => label.text)].join('.');
      return `${head}{${outline(item.body)}${item.complete ? '}' : ''}`;
    })
    .join(' ');
}

describe('an unfinished text still yields its items', () => {
  test.each<[text: string, items: string, problems: string[]]>([
    ['connector "x" {', 'connector.x{', ['syntax-unclosed-block']],
    ['connector "x', 'connector.x{', ['syntax-unclosed-string']],
    ['type = ', 'type=', ['syntax-missing-value']],
    ['type', 'type=', ['syntax-name-alone']],
    ['from { con', 'from{con=', ['syntax-unclosed-block', 'syntax-name-alone']],
    ['from { con }\nb = 1\n', 'from{con=} b', ['syntax-name-alone']],
    ['a = "x\nb = 1\n', 'a b', ['syntax-unclosed-string']],
    ['a = "${step.\nb = 1\n', 'a b', ['syntax-unclosed-template']],
    ['a = env("X"\nb = 1\n', 'a b', ['syntax-missing-separator']],
    ['a = env("X\nb = 1\n', 'a b', ['syntax-unclosed-string']],
    ['a = [\n  "x",\nb = 1\n', 'a b', ['syntax-missing-separator']],
    ['a = {\n  x =\n  y = 2\n}\nb = 1\n', 'a b', ['syntax-missing-value']],
    ['a = {\n  x = 1\n\nc {\n}\n', 'a c{}', ['syntax-missing-separator']],
    ['a = <<EOT\nx\nb = 1\n', 'a b', ['syntax-unclosed-heredoc']],
    ['a = 1 +\nb = 2\n', 'a b', ['syntax-missing-value']],
    ['a = )\nb = 2\n', 'a= b', ['syntax-bad-expression']],
    ['a { b = 1, c = 2 }\nd = 1\n', 'a{b c} d', ['syntax-one-line-block']],
    ['a {\n  b = 1 }\nc = 1\n', 'a{b} c', ['syntax-missing-newline']],
    ['a = 1; b = 2\n', 'a b', ['syntax-missing-newline']],
    ['flow "a"\n  from {\n    b = 1\n  }\n}\nc = 1\n', 'flow.a{from{b} c', ['syntax-missing-brace']],
    [
      'f "a" {\n  from {\n    c = 1\n  to {\n    y = 1\n  }\n}\nf "b" {\n}\n',
      'f.a{from{c to{y}} f.b{}',
      ['syntax-unclosed-block'],
    ],
    ['f "a" {\n  from {\n    c = 1\n}\nf "b" {\n}\n', 'f.a{from{c} f.b{}', ['syntax-unclosed-block']],
    ['f {\n  a = 1\n  }\n  b = 1\n}\ng {}\n', 'f{a b} g{}', ['syntax-stray-brace']],
    ['f {\n  a = {\n    x = 1\n  b = 2\n}\ng {}\n', 'f{a b} g{}', ['syntax-unclosed-bracket']],
  ])('%j', (text, items, problems) => {
    const { body, diagnostics } = parseHcl(text, 'a.hcl');
    expect({ items: outline(body), problems: diagnostics.map(({ code }) => code) }).toEqual({ items, problems });
  });
});

test('a problem says where it is, what it is and what to write', () => {
  expect(parseHcl("a {\n  b = 'x'\n}\n", 'a.hcl').diagnostics).toEqual([
    {
      code: 'syntax-quotation-marks',
      severity: 'error',
      family: 'config',
      message: 'Text is written in double quotes',
      file: 'a.hcl',
      range: { start: 10, end: 13 },
      help: 'Write "x".',
    },
  ]);
});

test('the second of two equal attributes points to the first', () => {
  expect(parseHcl('a = 1\na = 2\n', 'a.hcl').diagnostics[0]).toMatchObject({
    code: 'syntax-duplicate-attribute',
    range: { start: 6, end: 7 },
    related: [{ file: 'a.hcl', range: { start: 0, end: 1 } }],
  });
});

/** One damage to one line; undefined where the line has nothing to damage. */
const DAMAGES: Record<string, (line: string) => string | undefined> = {
  'a value is missing': (line) => (/^\s*\w+\s*=\s*\S/.test(line) ? line.replace(/=.*/, '= ') : undefined),
  'a quote is missing': (line) => (/^\s*\w+\s*=\s*"[^"]*"$/.test(line) ? line.slice(0, -1) : undefined),
  'only the name is left': (line) => (/^\s*\w+\s*=/.test(line) ? line.replace(/\s*=.*/, '') : undefined),
  'an opening brace is missing': (line) => (/^[^=]*\{$/.test(line) ? line.slice(0, -1) : undefined),
  'a closing brace is missing': (line) => (/^\s*\}$/.test(line) ? '' : undefined),
  'a call is not finished': (line) => (/= env\(/.test(line) ? line.replace(/\)$/, '') : undefined),
  'a brace is too many': (line) => (/^\s*\w+\s*=\s*"[^"]*"$/.test(line) ? `${line}\n  }` : undefined),
};

const SERVICE = `connector "db" {
  type     = "database"
  password = env("PASSWORD")
  pool {
    max = 10
  }
}

flow "get" {
  from {
    connector = "api"
    operation = "GET /x"
  }
  transform {
    id = "input.id"
  }
  to {
    connector = "db"
    params = {
      a = "b"
      c = 1
    }
  }
}

flow "put" {
  require = ["a", "b"]
  to {
    connector = "db"
  }
}
`;

describe('one damage loses next to nothing', () => {
  const all = outlineLines(SERVICE);
  test.each(Object.entries(DAMAGES))('%s', (_, damage) => {
    const lines = SERVICE.split('\n');
    let damaged = 0;
    for (const [number, line] of lines.entries()) {
      const replaced = damage(line);
      if (replaced === undefined) continue;
      damaged++;
      const text = lines.with(number, replaced).join('\n');
      const { diagnostics } = parseHcl(text, '');
      expect({ text, problems: diagnostics.length > 0 }).toEqual({ text, problems: true });
      const kept = outlineLines(text);
      const lost = all.filter((item) => !kept.includes(item));
      expect({ text, lost: lost.length > 1 ? lost : [] }).toEqual({ text, lost: [] });
    }
    expect(damaged).toBeGreaterThan(0);
  });
});

/** Every item with the blocks around it. */
function outlineLines(text: string): string[] {
  const visit = (body: Body, path: string): string[] =>
    body.items.flatMap((item) => {
      if (item.kind === 'attribute') return [`${path}/${item.name.text}`];
      const inner = `${path}/${[item.type.text, ...item.labels.map((label) => label.text)].join('.')}`;
      return [inner, ...visit(item.body, inner)];
    });
  return visit(parseHcl(text, '').body, '');
}
