import { describe, expect, test } from 'vitest';
import { formatHcl } from './format.ts';
import { parseHcl } from './hcl/parse.ts';
import { layoutOf } from './layout.ts';
import { corpus } from './testing/corpus.ts';
import { mutations } from './testing/mutate.ts';

/** The tree without its places, white space at the end of a kept source aside: what the text means. */
function meaningOf(text: string): unknown {
  return JSON.parse(
    JSON.stringify(parseHcl(text, '').body, (name, value) => (name === 'start' || name === 'end' ? undefined : value)),
  );
}

function commentsOf(text: string): string[] {
  return layoutOf(parseHcl(text, '')).comments.map(({ start, end }) => text.slice(start, end).trimEnd());
}

describe('closing brackets are placed where the line begins that opened the last of them', () => {
  test.each<[string, string]>([
    ['a call', 'b = f(1, {\n    x = 1\n  })'],
    ['a call with space between', 'b = f(1, {\n    x = 1\n  } )'],
    ['a list of objects', 'b = [{\n    x = 1\n  }, {\n    y = 2\n  }]'],
    ['lists in a list', 'b = [[\n    1\n  ], [\n    2\n  ]]'],
    ['an object between others', 'b = [\n    {\n      x = 1\n    }, {\n      y = 1\n    }\n  ]'],
    ['a bracket opened in a closing line', 'b = [\n    [1,\n      2], [\n      3]]'],
    ['a choice of objects', 'b = x ? {\n    a = 1\n  } : {\n    b = 1\n  }'],
    ['a call over lines', 'b = merge({ x = 1 },\n    { y = 2 })'],
    ['what follows a heredoc', 'b = f(<<E\nx\nE\n    , {\n      y = 1\n  })'],
  ])('%s', (_, item) => {
    const neat = `a {\n  ${item}\n  c = 1\n}\n`;
    expect(formatHcl(neat.replace(/^ +/gm, ''))).toBe(neat);
  });
});

test('lays out a service', () => {
  const text = [
    '',
    '# c',
    'connector   "db"{',
    'type="x"   # a',
    ' driver  = "y"',
    '',
    '',
    '',
    '    options = {',
    'a=1',
    '      long   = [',
    '1,',
    '2 ]',
    '',
    '}',
    'query = <<-SQL',
    '   SELECT 1',
    '     SQL',
    'z=1',
    '  pool   {   max=1}',
    'empty {',
    '}',
    'none { }',
    '      }  ',
    '',
    '',
  ].join('\n');
  expect(formatHcl(text)).toBe(
    [
      '# c',
      'connector "db" {',
      '  type   = "x"   # a',
      '  driver = "y"',
      '',
      '  options = {',
      '    a = 1',
      '    long = [',
      '      1,',
      '      2 ]',
      '',
      '  }',
      '  query = <<-SQL',
      '   SELECT 1',
      '     SQL',
      '  z = 1',
      '  pool { max = 1 }',
      '  empty {',
      '  }',
      '  none {}',
      '}',
      '',
    ].join('\n'),
  );
});

test('a text with a syntax error is returned as it is', () => {
  expect(formatHcl('a   = \n\n\n\nb=1')).toBe('a   = \n\n\n\nb=1');
});

test('line breaks of the other kind are kept', () => {
  expect(formatHcl('a  =  1\r\n\r\n\r\n\r\nb {\r\nc=1\r\n}')).toBe('a = 1\r\n\r\nb {\r\n  c = 1\r\n}\r\n');
});

describe('every correct text keeps its meaning and its comments, and is formatted for good at once', () => {
  const texts = [
    ...Object.entries(corpus),
    ...[...mutations(7, 4000)].map((text, index) => [`mutation ${index}`, text]),
  ];
  test('corpus and damaged texts', () => {
    let correct = 0;
    for (const [name, text] of texts as [string, string][]) {
      if (parseHcl(text, '').diagnostics.length > 0) continue;
      correct++;
      const formatted = formatHcl(text);
      expect(parseHcl(formatted, '').diagnostics, name).toEqual([]);
      expect(meaningOf(formatted), name).toEqual(meaningOf(text));
      expect(commentsOf(formatted), name).toEqual(commentsOf(text));
      expect(formatHcl(formatted), name).toBe(formatted);
    }
    expect(correct).toBeGreaterThan(400);
  });
});
