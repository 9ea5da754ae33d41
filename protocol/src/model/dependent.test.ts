import { describe, expect, test } from 'vitest';
import {
  argument,
  block,
  cel,
  connector,
  ofPlace,
  reference,
  template,
  text,
  type Vocabulary,
} from '../schema/index.ts';
import { parseHcl } from '../syntax/index.ts';
import { DecodeMemory, decodeProject, loadProject } from './index.ts';

const shared = block({ doc: 'Words that blocks carry out.', attributes: { query: text('Statement.') } });
const { query } = shared.attributes;

const mail = connector({
  type: 'mail',
  config: block({ doc: 'Sends letters.' }),
  words: {
    to: block({
      doc: 'A letter.',
      attributes: {
        template: text('Which letter.', { required: true }),
        subject: template('Its subject.', { reads: ofPlace }),
        attachments: argument('Its files.', { reads: ofPlace }),
        urgent: cel('Whether it is urgent.', { reads: ofPlace, gives: 'bool' }),
      },
      blocks: { marks: block({ doc: 'Marks.', asAttribute: true, fields: cel('One mark.', { reads: ofPlace }) }) },
      rules: [{ rule: 'atMostOneOf', names: ['urgent', 'marks'] }],
    }),
  },
});
const store = connector({
  type: 'store',
  config: block({ doc: 'Keeps rows.' }),
  words: { to: block({ doc: 'Rows.', attributes: { query } }) },
});
const to = block({
  doc: 'Where it goes.',
  repeated: true,
  attributes: { connector: reference('Where.', 'connector', { required: true }), target: text('What.') },
  dependent: { by: 'connector', at: 'to', reads: ['input'], shared },
  rules: [{ rule: 'atLeastOneOf', names: ['target', 'query', 'template'] }],
});
const flow = block({ doc: 'A flow.', label: { name: 'name', doc: 'Its name.' }, repeated: true, blocks: { to } });

const empty = block({ doc: '' });
const vocabulary: Vocabulary = {
  blocks: { flow },
  connectors: [mail, store],
  profiled: empty,
  everyProfile: empty,
  unavailable: { blocks: [], connectors: [] },
};
const options = {
  vocabulary,
  host: { env: () => undefined, readFile: () => '', absolutePath: (path: string) => path },
  expressionFunctions: [],
};

function load(body: string, connectors = 'connector "post" { type = "mail" }\nconnector "db" { type = "store" }\n') {
  const project = loadProject(
    [
      { path: 'a.hcl', text: `flow "f" {\n  to {\n${body}\n  }\n}\n` },
      { path: 'z.hcl', text: connectors },
    ],
    options,
  );
  return {
    to: project.all('flow', flow)[0]?.values.to[0],
    problems: project.diagnostics.map(({ code, message, help }) => [code, message, help]),
  };
}

describe('words that depend on the connector that a block names', () => {
  test('those of the connector alone are decoded apart, evaluated ones with the variables of the place', () => {
    const { to: decoded, problems } = load(
      'connector = connector.post\ntemplate = "hello"\nsubject = "To ${input.name}"\nattachments = { a = "input.file" }\nmarks { m = "1" }',
    );
    expect(problems).toEqual([]);
    expect(decoded?.query).toBeUndefined();
    expect(Object.keys(decoded as object)).not.toContain('template');
    const { fixed, evaluated } = decoded?.words ?? {};
    expect(fixed).toEqual({ template: 'hello' });
    expect(evaluated).toMatchObject({
      subject: { kind: 'template', parts: ['To ', { source: 'input.name', reads: ['input'] }] },
      attachments: { kind: 'map', entries: [['a', { kind: 'cel', source: 'input.file', reads: ['input'] }]] },
      marks: { fields: [{ name: 'm', value: { source: '1', reads: ['input'] } }] },
    });
  });

  test('a shared word is allowed beside the others, wherever the connector is declared', () => {
    const { to: decoded, problems } = load('connector = "db"\nquery = "SELECT 1"');
    expect(problems).toEqual([]);
    expect([decoded?.query, decoded?.words]).toEqual(['SELECT 1', { fixed: {}, evaluated: {} }]);
  });

  test('what the connector requires and forbids is asked for', () => {
    expect(load('connector = "post"\ntarget = "x"\nurgent = "true"\nmarks = { m = "1" }').problems).toEqual([
      ['missing-attribute', 'to in flow "f" needs the attribute template', 'Which letter.'],
      ['conflicting-attributes', 'to in flow "f" takes only one of urgent, marks', 'Keep one of them.'],
    ]);
  });

  test('a word of another connector is refused, with what this one takes', () => {
    expect(load('connector = "db"\ntarget = "x"\ntemplate = "t"\nmarks { m = "1" }').problems).toEqual([
      [
        'unknown-attribute',
        'connector "db" (store) takes no template, which to in flow "f" writes',
        'Of its own it takes query here.',
      ],
      [
        'unknown-block',
        'connector "db" (store) takes no marks, which to in flow "f" writes',
        'Of its own it takes query here.',
      ],
    ]);
    expect(load('connector = "db"\nquery = "a"\nqueri = "t"').problems).toEqual([
      ['unknown-attribute', 'to in flow "f" has no attribute "queri"', 'Did you mean "query"?'],
    ]);
  });

  test('of a connector that does not exist, or has no type that does, one problem is reported', () => {
    const codes = (...given: Parameters<typeof load>) => load(...given).problems.map(([code]) => code);
    expect(codes('connector = "none"\ntemplate = "t"\nquery = "a"')).toEqual(['unknown-connector']);
    expect(codes('connector = "x"\nquery = "a"', 'connector "x" { type = "nothing" }\n')).toEqual(['unknown-type']);
    expect(codes('connector = "none"\ntarget = "a"\ncolour = 1')).toEqual(['unknown-connector', 'unknown-attribute']);
  });

  test('a block is decoded again when the connector that it names has become another', () => {
    const memory = new DecodeMemory();
    const block = parseHcl('flow "f" {\n  to {\n    connector = "x"\n    query = "a"\n  }\n}\n', 'a.hcl');
    const codes = (type: string) =>
      decodeProject(
        [block, parseHcl(`connector "x" { type = "${type}" }\n`, 'b.hcl')],
        options,
        [],
        memory,
      ).diagnostics.map(({ code }) => code);
    expect([codes('store'), codes('mail'), codes('store')]).toEqual([
      [],
      ['missing-attribute', 'missing-attribute', 'unknown-attribute'],
      [],
    ]);
  });
});
