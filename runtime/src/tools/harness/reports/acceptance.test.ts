import { expect, test as it } from 'vitest';
import { inDirectory, typed } from '../../../cli/testing/typed.ts';
import { flow, test, tested } from '../testing/tested.ts';
import { acceptanceOf } from './acceptance.ts';

const echo = flow('echo', 'POST /echo', '  response {\n    http_status_code = "201"\n    given = "input.given"\n  }');
const dropping = flow(
  'keep',
  'POST /keep',
  '  accept {\n    when = "input.n > 1"\n  }\n  response {\n    n = "input.n"\n  }',
);

/** The text of tests after everything that can be accepted of them was, and what is still wrong then. */
async function accepted(written: string): Promise<{ readonly text: string; readonly left: readonly string[] }> {
  const report = await tested(echo + dropping, written);
  const edits = report.results
    .flatMap(({ problems }) => problems)
    .flatMap(({ origin, change }) => {
      const found = change && acceptanceOf({ text: written, file: origin.file }, origin.range, change);
      return found?.edits ?? [];
    });
  const inOrder = edits.toSorted((a, b) => b.range.start - a.range.start || b.range.end - a.range.end);
  const text = inOrder.reduce(
    (before, { range, text: now }) => before.slice(0, range.start) + now + before.slice(range.end),
    written,
  );
  const { results } = await tested(echo + dropping, text);
  return { text, left: results.flatMap(({ problems }) => problems.map(({ subject }) => subject)) };
}

const expecting = (input: string, body: string, name = 'echo') =>
  test('one', name, `  input = ${input}\n  expect {\n${body}\n  }`);

it.each([
  ['a value', '{ given = 4 }', '    output_has = { given = 5 } # five', '    output_has = { given = 4 } # five'],
  ['a text', '{ given = "a\\n\\"${"$"}{b}" }', '    output_has = { given = "b" }', undefined],
  [
    'one value of several, each for itself',
    '{ given = { a = 1, b = [1, 2] } }',
    '    output = {\n      given = { a = 2, b = [1, 3] } // as it is\n    }',
    '    output = {\n      given = { a = 1, b = [1, 2] } // as it is\n    }',
  ],
  ['a status', '{ given = 1 }', '    status = 200', '    status = 201'],
  [
    'a member that is new, on its line',
    '{ given = { a = 1, "b c" = true } }',
    '    output = { given = { a = 1 } }',
    '    output = { given = { a = 1, "b c" = true } }',
  ],
  [
    'a member that is new, on a line of its own below a comment',
    '{ given = { a = 1, b = null } }',
    '    output = {\n      given = {\n        a = 1 # one\n      }\n    }',
    '    output = {\n      given = {\n        a = 1 # one\n        b = null\n      }\n    }',
  ],
  [
    'a member of an object that was empty',
    '{ given = { a = 1 } }',
    '    output = { given = {} }',
    '    output = { given = { a = 1 } }',
  ],
  ['an item that is new', '{ given = [1, 2] }', '    output = { given = [1] }', '    output = { given = [1, 2] }'],
  [
    'an item on a line of its own',
    '{ given = [1, 2] }',
    '    output = {\n      given = [\n        1 # one\n      ]\n    }',
    '    output = {\n      given = [\n        1, # one\n        2\n      ]\n    }',
  ],
  [
    'an item behind a comma',
    '{ given = [1, 2] }',
    '    output = {\n      given = [\n        1,\n      ]\n    }',
    '    output = {\n      given = [\n        1,\n        2,\n      ]\n    }',
  ],
  [
    'a member that did not come',
    '{ given = { a = 1 } }',
    '    output = { given = { a = 1, b = 2 } }',
    '    output = { given = { a = 1 } }',
  ],
  [
    'the first member did not come',
    '{ given = { b = 2 } }',
    '    output = { given = { a = 1, b = 2 } }',
    '    output = { given = { b = 2 } }',
  ],
  ['the only item did not come', '{ given = [] }', '    output = { given = [1,] }', '    output = { given = [] }'],
  [
    'an object where a list was expected',
    '{ given = { a = [1] } }',
    '    output = { given = [1, 2] }',
    '    output = { given = { a = [1] } }',
  ],
])('what came is written in place of what was expected: %s', async (_, input, before, after) => {
  const { text, left } = await accepted(expecting(input, before));
  expect(left).toEqual([]);
  if (after !== undefined) expect(text).toBe(expecting(input, after));
});

it('so are a drop that came, and one that did not', async () => {
  const first = await accepted(expecting('{ n = 1 }', '    dropped = "filter"', 'keep'));
  expect(first).toEqual({ text: expecting('{ n = 1 }', '    dropped = "accept"', 'keep'), left: [] });
  const second = await accepted(expecting('{ n = 2 }', '    dropped = "accept"', 'keep'));
  expect(second).toEqual({ text: expecting('{ n = 2 }', '    dropped = false', 'keep'), left: [] });
});

it('how often a call was made is written in place of how often it was expected', async () => {
  const { text, left } = await accepted(expecting('{ given = 1 }', '    call "db" {\n      times = 2\n    }'));
  expect({ text, left }).toEqual({
    text: expecting('{ given = 1 }', '    call "db" {\n      times = 0\n    }'),
    left: [],
  });
});

it('a condition, and what a function gave, are for a person to change', async () => {
  const written = expecting('{ given = 4 }', '    output_has = { given = cel("value > 4") }');
  expect(await accepted(written)).toEqual({ text: written, left: ['output.given'] });
  const computed = expecting('{ given = 4 }', '    output_has = { given = cel("input.given + 1.0") }');
  expect(await accepted(computed)).toEqual({ text: computed, left: ['output.given'] });
});

it('values that are long have a line for each member, and quotes where a name needs them', async () => {
  const long = 'x'.repeat(60);
  const { text } = await accepted(
    expecting(`{ given = { a = "${long}", "b c" = [1, 2] } }`, '    output = { given = 1 }'),
  );
  expect(text).toContain(`    output = { given = {\n      a = "${long}"\n      "b c" = [1, 2]\n    } }`);
});

it('the report for programs has the edits, and the text that they are made for', () =>
  inDirectory(
    {
      'a.hcl': `connector "api" {\n  type = "rest"\n  port = 0\n}\n${echo}`,
      'tests/a.hcl': expecting('{ given = 4 }', '    output_has = { given = 5 }'),
    },
    async (directory) => {
      const { out } = await typed(['test', directory, '--format', 'json']);
      const start = expecting('{ given = 4 }', '    output_has = { given = 5 }').indexOf('5 }');
      expect(JSON.parse(out).tests[0].problems[0].accept).toEqual({
        edits: [{ range: { start, end: start + 1 }, text: '4' }],
        was: '5',
      });
    },
  ));
