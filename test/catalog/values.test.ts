import type { AttributeSpec } from '@svc/protocol/schema';
import type { Diagnostic } from '@svc/protocol/text';
import { describe, expect, test } from 'vitest';
import { type Body, bodies, writing } from './bodies.ts';
import { check } from './check.ts';

/** Everything that an author may write behind an equals sign, sensible or not. */
const values = [
  '5',
  '-1',
  '1.5',
  '1e400',
  'true',
  'null',
  '""',
  '"a"',
  '"  "',
  '"5"',
  '" 05.0 "',
  '[]',
  '[1, "a", null]',
  '[[1], { a = 1 }]',
  '{}',
  '{ a = 1 }',
  '{ a = { b = [null] } }',
  '{ "${nope}" = 1 }',
  'env("UNSET")',
  'env()',
  'env("A", "B", "C")',
  'nope("a")',
  'input',
  'input.id',
  'input["id"][0]',
  'input.items[*].id',
  'constants.nope',
  '"${input.id}"',
  '"${nope}"',
  '"a ${1 + 1} b"',
  '"%{ if true }a%{ endif }"',
  '<<EOT\na\n${input.id}\nEOT',
  '[for x in [1] : x]',
  '{ for k, v in { a = 1 } : k => v }',
  '1 / 0',
  '!"a"',
  'true ? 1 : "a"',
  '"\\u{zz}"',
  '"__proto__"',
  '{ __proto__ = 1 }',
];

/** Kinds that take neither an object nor a list of objects. */
const plain = ['text', 'int', 'float', 'flag', 'oneOf', 'duration', 'size', 'reference', 'cel', 'template'];

function problemsAt(body: Body, name: string, value: string): readonly Diagnostic[] {
  const text = writing(body, name, value);
  const { diagnostics } = check({ 'main.hcl': text });
  for (const { message, code, range, file } of diagnostics) {
    expect({ code: /^[a-z][a-z-]+$/.test(code), message: message.length > 5, file }).toEqual({
      code: true,
      message: true,
      file: 'main.hcl',
    });
    expect(range.start).toBeGreaterThanOrEqual(0);
    expect(range.end).toBeGreaterThanOrEqual(range.start);
    expect(range.end).toBeLessThanOrEqual(text.length);
  }
  const start = text.indexOf(`${name} = ${value}`);
  const end = start + `${name} = ${value}`.length;
  return diagnostics.filter(({ range, severity }) => severity === 'error' && range.start >= start && range.end <= end);
}

describe('R-27, A-12: any value of any attribute is a diagnostic or a value, never a crash', () => {
  const all = bodies();

  test.each(all.map((body) => [body.title, body] as const))('%s', (_title, body) => {
    const attributes: [string, AttributeSpec][] = Object.entries(body.spec.attributes);
    if (body.spec.fields) attributes.push(['any_name', body.spec.fields]);
    for (const [name, spec] of attributes)
      for (const value of values) {
        const problems = problemsAt(body, name, value);
        if (plain.includes(spec.kind) && value === '{ a = 1 }')
          expect({ name, value, refused: problems.length > 0 }).toEqual({ name, value, refused: true });
      }
  });

  test.each(all.map((body) => [body.title, body] as const))(
    '%s: blocks for attributes, attributes for blocks',
    (_title, body) => {
      for (const name of Object.keys(body.spec.attributes))
        check({ 'main.hcl': body.around(`${name} {\n  a = 1\n  b "c" {}\n}\n`) });
      for (const name of Object.keys(body.spec.blocks)) for (const value of values) problemsAt(body, name, value);
      for (const name of Object.keys(body.spec.blocks))
        for (const labels of ['', ' "a"', ' "a" "b"', ' a', ' "a" in "b"'])
          check({ 'main.hcl': body.around(`${name}${labels} {\n}\n${name}${labels} {\n}\n`) });
    },
  );
});
