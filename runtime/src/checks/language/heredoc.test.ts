import { expect, test } from 'vitest';
import { Editor } from './testing/editor.ts';

/** A transform whose field is written over several lines, in each form of a heredoc. */
function inHeredoc(form: '<<' | '<<-', expression: string): Editor {
  const lines = expression.split('\n').map((line) => `      ${line}`);
  return new Editor(`type "member" {
  email = string
}
flow "f" {
  validate {
    input = "member"
  }
  transform {
    first = ${form}EOF
${lines.join('\n')}
    EOF
    second = "1"
  }
}
`);
}

test.each(['<<', '<<-'] as const)('fields of variables are offered in %s', (form) => {
  const editor = inHeredoc(form, "lower(\n  'a' + input.em<|>\n)");
  const [item] = editor.completion();
  expect(item?.label).toBe('email');
  expect(editor.show({ range: item!.edit.range })).toBe('main.hcl:11 em');
});

test.each(['<<', '<<-'] as const)('functions are explained in %s', (form) => {
  const editor = inHeredoc(form, "lo<|>wer(\n  'a'\n)");
  const hover = editor.service.hover(editor.path, editor.offset);
  expect(hover?.text).toContain('lower(text: string) -> string');
  expect(editor.show({ range: hover!.range })).toBe('main.hcl:10 lower');
});

test('doubled signs shift nothing', () => {
  const editor = inHeredoc('<<-', "'$${x}' + lo<|>wer(input.email)");
  const hover = editor.service.hover(editor.path, editor.offset);
  expect(editor.show({ range: hover!.range })).toBe('main.hcl:10 lower');
});

test.each(['<<', '<<-'] as const)('words are coloured in %s', (form) => {
  const editor = inHeredoc(form, "lower(\n    input.email +\n  'a'\n)<|>");
  const text = editor.service.text(editor.path) as string;
  const from = text.indexOf('EOF');
  const tokens = editor.service
    .semanticTokens(editor.path)
    .filter(({ start, end }) => start > from && end < text.lastIndexOf('EOF'))
    .map(({ kind, start, end }) => `${kind} ${text.slice(start, end).trim()}`)
    .filter((token) => !['string', 'string EOF'].includes(token));
  expect(tokens).toEqual(['function lower', 'variable input', 'property email', "string 'a'"]);
});

test('names of steps are renamed', () => {
  const editor = new Editor(`flow "f" {
  step "user" {
    query = "SELECT 1"
  }
  transform {
    a = <<-EOF
      step.us<|>er.name
    EOF
  }
}
`);
  expect(editor.rename('person')['main.hcl']).toContain('      step.person.name\n');
});
