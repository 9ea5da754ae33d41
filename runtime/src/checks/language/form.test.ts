import type { Form } from '@svc/protocol/language';
import { describe, expect, test } from 'vitest';
import { Editor } from './testing/editor.ts';

const base = `connector "api" {
  type = "rest"
  port = 3000
}
connector "db" {
  type     = "database"
  driver   = "sqlite"
  database = "x.db"
}
`;

function formOf(text: string): Form | undefined {
  const { service, path, offset } = new Editor({ 'base.hcl': base, 'main.hcl': text });
  return service.form(path, offset);
}

/** `* name kind text => value`: a star where it is required. */
function fields(form: Form | undefined): readonly string[] | undefined {
  return form?.attributes.map(({ name, kind, required, text, value }) =>
    [`${required ? '* ' : ''}${name} ${kind} ${text}`, ...(value === undefined ? [] : [JSON.stringify(value)])].join(
      ' => ',
    ),
  );
}

describe('forms', () => {
  test('a destination: what is written, with its problems, and what may be added', () => {
    const text = `flow "f" {
  from {
    connector = "api"
    operation = "POST /a"
  }
  to {
    # stock and shipping listen
    connector = connector.db
    target    = "orders"
    when      = "output.total > "
    parallel  = true
    headers   = { x-tenant = "'shop'" }<|>
    colour    = lower("A")
  }
}
`;
    const form = formOf(text);
    const plain = text.replace('<|>', '');
    const { attributes, available, range, ...rest } = form as Form;
    expect(rest).toEqual({
      title: 'to db',
      word: 'to',
      label: '',
      file: 'main.hcl',
      documentation: 'Where the message goes, or what a reading flow reads. Several may be written.',
      problems: [],
      children: [],
    });
    expect(plain.slice(range.start, range.end)).toMatch(/^to \{[\s\S]*\}$/);
    expect(fields(form)).toEqual([
      '* connector reference connector.db => "db"',
      'target argument "orders" => "orders"',
      'when cel "output.total > " => "output.total > "',
      'parallel flag true => true',
      `headers other { x-tenant = "'shop'" } => {"x-tenant":"'shop'"}`,
      'colour other lower("A")',
    ]);
    const when = attributes[2];
    expect(when?.documentation).toBe('The write happens only when this is true.');
    expect(attributes[0]?.values).toEqual(['api', 'db']);
    expect(attributes[3]?.default).toBe('true');
    expect([plain.slice(when?.range.start, when?.range.end), when?.valueRange]).toEqual([
      'when      = "output.total > "',
      { start: plain.indexOf('"output'), end: plain.indexOf('"output') + '"output.total > "'.length },
    ]);
    expect(
      attributes.flatMap(({ name, problem }) => (problem ? [`${name} ${problem.severity} ${problem.code}`] : [])),
    ).toEqual([
      'when warning invalid-expression',
      'parallel warning inert-attribute',
      'headers error unknown-attribute',
      'colour error unknown-attribute',
    ]);
    expect(available.attributes.map(({ name }) => name)).toEqual([
      'operation',
      'params',
      'required',
      'facet',
      'query',
      'query_filter',
      'conflict',
    ]);
    expect(available.blocks.map(({ word }) => word)).toEqual(['transform', 'transaction']);
    expect(available.fields).toBeUndefined();
  });

  test('a flow: its blocks, those that may be added, and what is missing', () => {
    const form = formOf('flow "f"<|> {\n  step "s" {\n    connector = "db"\n  }\n}\n');
    expect([form?.title, form?.problems.map(({ code }) => code)]).toEqual(['flow f', ['missing-block']]);
    expect(form?.children.map(({ word, label, documentation }) => [word, label, documentation.slice(0, 15)])).toEqual([
      ['step', 's', 'Asks a connecto'],
    ]);
    expect(form?.available.blocks.slice(0, 2)).toEqual([
      { word: 'from', documentation: 'Where the messages of the flow come from.', required: false, label: undefined },
      expect.objectContaining({ word: 'when', required: false }),
    ]);
    expect(form?.available.blocks.find(({ word }) => word === 'step')?.label).toBe('Name of the result.');
  });

  test('rules of a mapping are expressions', () => {
    const form = formOf('flow "f" {\n  transform {\n    use = "base"\n    id  = "input.id<|>"\n    n   = 5\n  }\n}\n');
    expect(fields(form)).toEqual(['use reference "base" => "base"', 'id cel "input.id" => "input.id"', 'n cel 5 => 5']);
    expect(form?.available).toEqual({
      attributes: [],
      blocks: [expect.objectContaining({ word: 'enrich' })],
      fields: {
        kind: 'cel',
        required: false,
        secret: false,
        documentation: 'A field of the payload.',
        default: undefined,
        values: undefined,
      },
    });
  });

  test('connectors show the words of their type and driver', () => {
    const form = formOf(
      'connector "erp" {\n  type = "http"\n  timeout = "5s"\n  auth {\n    type = "bearer"\n    token = env("T")\n<|>  }\n}\n',
    );
    expect(form?.title).toBe('auth');
    expect(form?.attributes.map(({ name, secret, values }) => [name, secret, values?.length])).toEqual([
      ['type', false, 6],
      ['token', true, undefined],
    ]);
    const outer = formOf('connector "erp" {\n  type = "http"<|>\n  timeout = "5s"\n  max_response = -1\n}\n');
    expect(fields(outer)).toEqual([
      '* type oneOf "http" => "http"',
      'timeout duration "5s" => "5s"',
      'max_response size -1 => -1',
    ]);
    expect(outer?.problems.map(({ code }) => code)).toEqual(['missing-attribute', 'unused']);
    expect(outer?.available.attributes.slice(0, 2).map(({ name, required }) => [name, required])).toEqual([
      ['driver', false],
      ['base_url', true],
    ]);
  });

  test('short forms, templates, and what cannot be known', () => {
    const form = formOf(
      'flow "f" {\n  from {\n    connector = "api"\n    filter = "input.a"<|>\n    operation =\n  }\n}\n',
    );
    expect(fields(form)).toEqual([
      '* connector reference "api" => "api"',
      '* filter cel "input.a" => "input.a"',
      'operation text ',
    ]);
    const key = formOf('flow "f" {\n  cache {\n    key = "a:${input.id}:$${b"<|>\n  }\n}\n');
    expect(fields(key)).toEqual(['key template "a:${input.id}:$${b" => "a:${input.id}:$${b"']);
    expect(formOf('flo "f" {\n  a = 1<|>\n}\n')).toMatchObject({
      title: 'flo f',
      documentation: '',
      available: { attributes: [] },
    });
    expect(formOf('<|>\nflow "f" {\n}\n')).toBeUndefined();
  });
});
