import { EditRefused, type FormChange, LanguageService, type LiteralValue } from '@svc/protocol/language';
import { applyEdits } from '@svc/protocol/text';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Editor, supportOfTexts } from './testing/editor.ts';

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

/** The text after a change at the cursor. */
function edited(text: string, change: FormChange): string {
  const { service, path, offset } = new Editor({ 'base.hcl': base, 'main.hcl': text });
  return applyEdits(service.text(path) ?? '', service.edit(path, offset, change));
}

function refusal(text: string, change: FormChange): string {
  try {
    return `not refused: ${edited(text, change)}`;
  } catch (error) {
    if (!(error instanceof EditRefused)) throw error;
    return error.message;
  }
}

const to = `flow "f" {
  # where it goes
  to {<|> # one
    connector = connector.db # main
    query     = <<-SQL
      SELECT 1
    SQL
    # last
  }
}
`;
const plain = to.replace('<|>', '');

describe('attributes', () => {
  test('source is set as it is written', () => {
    expect(edited(to, { set: { name: 'connector', text: ' "api" ' } })).toBe(plain.replace('connector.db', '"api"'));
    expect(edited(to, { set: { name: 'params', text: '{ id = "input.id" }' } })).toBe(
      plain.replace('SQL\n    #', 'SQL\n    params = { id = "input.id" }\n    #'),
    );
  });

  test('values are written as the attribute takes them', () => {
    const set = (name: string, value: LiteralValue) => edited(to, { setValue: { name, value } });
    expect(set('connector', 'api')).toBe(plain.replace('connector.db', 'connector.api'));
    expect(set('connector', 'my api')).toBe(plain.replace('connector.db', '"my api"'));
    expect(set('query', 'SELECT 2\n  FROM ${x}\n')).toBe(
      plain.replace('      SELECT 1\n', () => '      SELECT 2\n        FROM $${x}\n'),
    );
    expect(set('query', 'SELECT "a"')).toBe(plain.replace(/<<-SQL[\s\S]*SQL/, '"SELECT \\"a\\""'));
    expect(set('when', 'output.name == "${x}"')).toContain('when = "output.name == \\"$${x}\\""\n');
    expect(set('parallel', false)).toContain('    parallel = false\n');
    expect(set('params', { id: 'input.id', 'a-b': [1, true, null] })).toContain(
      '    params = { id = "input.id", "a-b" = [1, true, null] }\n',
    );
    const key = (value: string) =>
      edited('flow "f" {\n  cache {\n    ttl = "5m"<|>\n  }\n}\n', { setValue: { name: 'key', value } });
    expect(key('o:${input.a["x"]}:$${b}"')).toContain('    key = "o:${input.a["x"]}:$${b}\\""\n');
  });

  test('entries of an object are changed one by one, with the comments between them', () => {
    const step = `flow "f" {
  step "s" {<|>
    params = { # both
      id   = "input.id" # the key
      deep = { kind = "input.kind", more = 1 }
    }
  }
}
`;
    const set = (value: LiteralValue) => edited(step, { setValue: { name: 'params', value } });
    const text = step.replace('<|>', '');
    expect(set({ id: 'input.key', deep: { kind: 'input.kind', more: 2 } })).toBe(
      text.replace('input.id', 'input.key').replace('more = 1', 'more = 2'),
    );
    expect(set({ id: 'input.id', deep: { kind: 'input.kind', more: 1 } })).toBe(text);
    const more = { id: 'input.id', deep: { kind: 'input.kind', more: 1, 'a b': 'x' }, last: [1] };
    expect(set(more)).toBe(text.replace('1 }\n', '1, "a b" = "x" }\n      last = [1]\n'));
    expect(set({ id: 'input.id' })).toContain('    params = { id = "input.id" }\n');
  });

  test('short forms and older names are kept', () => {
    const from = 'flow "f" {\n  from {\n    connector = "api"<|>\n    filter    = "a"\n  }\n}\n';
    expect(edited(from, { setValue: { name: 'filter', value: 'b == "c"' } })).toContain('filter    = "b == \\"c\\""');
    const http = 'connector "c" {\n  type   = "database"\n  driver = "postgres"\n  uri    = "a"<|>\n}\n';
    expect(edited(http, { setValue: { name: 'url', value: 'b' } })).toBe(http.replace('"a"<|>', '"b"'));
  });

  test('a rule is added in the column of the others, and one is removed with its line', () => {
    const rules =
      'flow "f" {\n  transform {<|>\n    # the key\n    id   = "input.id" # kept\n    name = "input.name"\n  }\n}\n';
    const text = rules.replace('<|>', '');
    expect(edited(rules, { setValue: { name: 'sum', value: '1 + 2' } })).toBe(
      text.replace('input.name"\n', 'input.name"\n    sum  = "1 + 2"\n'),
    );
    expect(edited(rules, { remove: 'name' })).toBe(text.replace('    name = "input.name"\n', ''));
    expect(edited(rules, { remove: 'id' })).toContain('# the key\n    # kept\n');
  });

  test('what cannot be written is refused', () => {
    expect(refusal(to, { set: { name: 'query', text: '1\n x = 2' } })).toMatch(/is not a value/);
    expect(refusal(to, { set: { name: 'query', text: '1 # c' } })).toMatch(/is not a value/);
    expect(refusal(to, { set: { name: 'query', text: '"a' } })).toMatch(/is not a value/);
    expect(refusal(to, { set: { name: 'colour', text: '1' } })).toBe('to has no attribute colour');
    expect(refusal(to, { setValue: { name: 'query', value: Number.NaN } })).toBe('query cannot be written as null');
    expect(refusal(to, { remove: 'when' })).toBe('when is not written here');
    expect(refusal('<|>\n', { set: { name: 'a', text: '1' } })).toBe('there is no block here');
    expect(refusal('flow "f" {\n  transform {<|>\n}\n', { set: { name: 'a b', text: '1' } })).toBe(
      '"a b" is not the name of an attribute',
    );
    expect(refusal('flow "f" {\n  step "s" { when = "a"<|> }\n', { set: { name: 'body', text: '<<A\nx\nA' } })).toMatch(
      /^not refused|before the text around it is finished$/,
    );
  });
});

describe('blocks', () => {
  test('are added with what they must say, removed, renamed', () => {
    const flow = 'flow "f" {<|>\n  # first\n  step "a" {\n    connector = "db"\n  }\n}\n';
    expect(edited(flow, { addBlock: { word: 'step', labels: ['b'] } })).toBe(
      flow.replace('<|>', '').replace('  }\n}', '  }\n  step "b" {\n    connector = ""\n  }\n}'),
    );
    const step = flow.replace('<|>', '').replace('"db"', '"db"<|>');
    expect(edited(step, { removeBlock: true })).toBe('flow "f" {\n  # first\n}\n');
    expect(edited(step, { rename: 'user' })).toContain('step "user" {');
    expect(edited('<|>', { addBlock: { word: 'validator', labels: ['even'] } })).toBe(
      'validator "even" {\n  type = "regex"\n}\n',
    );
    const loop = 'transaction "t" {<|>\n}\n';
    expect(edited(loop, { addBlock: { word: 'each', labels: ['line', 'input.lines'] } })).toBe(
      'transaction "t" {\n  each "line" in "input.lines" {\n  }\n}\n',
    );
  });

  test('are refused where they do not belong', () => {
    const flow = 'flow "f" {<|>\n  from {\n  }\n}\n';
    expect(refusal(flow, { addBlock: { word: 'from' } })).toBe('from is written already');
    expect(refusal(flow, { addBlock: { word: 'step' } })).toBe('step needs a name');
    expect(refusal(flow, { addBlock: { word: 'response', labels: ['x'] } })).toBe('response has no name');
    expect(refusal(flow, { addBlock: { word: 'constructor' } })).toBe('flow has no block constructor');
    expect(refusal(flow, { rename: 'a"b' })).toBe('"a"b" is not a name');
    expect(refusal('flow "f" {\n  from {<|>\n  }\n}\n', { rename: 'x' })).toBe('from has no name');
  });
});

describe('new root blocks', () => {
  const create = (texts: Readonly<Record<string, string>>, block: Parameters<LanguageService['create']>[0]) => {
    const service = new LanguageService(supportOfTexts());
    for (const [path, text] of Object.entries(texts)) service.provide(path, text);
    const { file, isNew, edits } = service.create(block);
    return [file, isNew, applyEdits(service.text(file) ?? '', edits)];
  };
  const flow = `flow "copy" {
  from {
    connector = "api"
    operation = ""
  }
  to {
    connector = "db"
    target    = ""
  }
}
`;

  test('a flow between two connectors, where flows are written', () => {
    const block = { addFlow: { name: 'copy', from: 'api', to: 'db' } };
    expect(create({ 'base.hcl': base }, block)).toEqual(['base.hcl', false, `${base}\n${flow}`]);
    expect(create({ 'base.hcl': base, 'types.hcl': '' }, block)).toEqual(['flows/copy.hcl', true, flow]);
    expect(create({ 'base.hcl': base, 'work/a.hcl': 'flow "a" {\n}\n' }, block)).toEqual(['work/copy.hcl', true, flow]);
  });

  test('a flow that says what of its connectors', () => {
    const said = { name: 'copy', from: 'api', to: 'db', operation: 'POST /orders', target: 'orders' };
    const [, , text] = create({ 'base.hcl': base }, { addFlow: said });
    expect(text).toBe(
      `${base}\n${flow}`
        .replace('operation = ""', 'operation = "POST /orders"')
        .replace('target    = ""', 'target    = "orders"'),
    );
    const service = new LanguageService(supportOfTexts());
    service.provide('base.hcl', base);
    expect(service.flowEnd('api', 'source')).toMatchObject({
      refusal: undefined,
      word: 'operation',
      isRequired: true,
      offers: expect.arrayContaining(['GET /', 'POST /']),
    });
    service.know('db', [{ name: 'orders', kind: 'table' }]);
    expect(service.flowEnd('db', 'target')).toEqual({
      refusal: undefined,
      word: 'target',
      isRequired: true,
      offers: ['orders'],
    });
    expect(service.flowEnd('db', 'source').refusal).toBe('no flow can start at "db": a database sends nothing');
    expect(service.flowEnd('api', 'target').refusal).toBe('nothing can be sent to "api": a rest takes nothing');
    expect(service.flowEnd('lost', 'target').refusal).toBe('there is no connector "lost"');
  });

  test('a connector with what it must say', () => {
    expect(create({}, { addConnector: { name: 'erp', type: 'http' } })).toEqual([
      'connectors/erp.hcl',
      true,
      'connector "erp" {\n  type     = "http"\n  base_url = "https://api.example.org/v2"\n}\n',
    ]);
    expect(
      create({ 'base.hcl': base }, { addConnector: { name: 'more', type: 'database', driver: 'sqlite' } }),
    ).toEqual([
      'base.hcl',
      false,
      `${base}\nconnector "more" {\n  type     = "database"\n  driver   = "sqlite"\n  database = "./data/app.db"\n}\n`,
    ]);
  });

  test('every type of connector that it may be can be written', () => {
    const types = new LanguageService(supportOfTexts()).connectorTypes();
    expect(types).toContainEqual({ type: 'database', driver: 'sqlite', kind: 'db' });
    for (const { type, driver } of types)
      expect(create({}, { addConnector: { name: 'a', type, driver } })[2]).toContain(`= "${type}"`);
  });

  test('what does not fit is refused', () => {
    const refused = (block: Parameters<LanguageService['create']>[0]) => {
      try {
        return create({ 'base.hcl': base }, block).join(' ');
      } catch (error) {
        return (error as Error).message;
      }
    };
    expect(refused({ addFlow: { name: 'a', from: 'db', to: 'db' } })).toBe(
      'no flow can start at "db": a database sends nothing',
    );
    expect(refused({ addFlow: { name: 'a', from: 'api', to: 'api' } })).toBe(
      'nothing can be sent to "api": a rest takes nothing',
    );
    expect(refused({ addFlow: { name: 'a', from: 'api', to: 'lost' } })).toBe('there is no connector "lost"');
    expect(refused({ addFlow: { name: 'a${', from: 'api', to: 'db' } })).toBe('"a${" is not a name');
    expect(refused({ addConnector: { name: 'api', type: 'rest' } })).toBe('there is a connector "api" already');
    expect(refused({ addConnector: { name: 'x', type: 'database' } })).toMatch(
      /^there is no driver of database; these exist: sqlite/,
    );
    expect(refused({ addConnector: { name: 'x', type: 'fax' } })).toMatch(
      /^there is no type "fax"; these exist: rest, http/,
    );
  });
});

describe('any change', () => {
  /** A layout of a block with comments everywhere; every comment has a number. */
  const layout = fc
    .array(fc.constantFrom('attribute', 'comment', 'blank', 'block', 'heredoc', 'beside', 'object', 'oneLine'), {
      maxLength: 8,
    })
    .chain((kinds) => fc.tuple(fc.constant(kinds), fc.boolean(), fc.boolean()))
    .map(([kinds, windows, last]) => {
      const lines = kinds.flatMap((kind, at) => {
        switch (kind) {
          case 'attribute':
            return [`    a${at} = "input.x"`];
          case 'comment':
            return [`    # c${at}`];
          case 'blank':
            return [''];
          case 'block':
            return [`    enrich "e${at}" { # c${at}`, '      connector = "db" // c', `      /* d${at} */`, '    }'];
          case 'heredoc':
            return [`    a${at} = <<-T`, `      text # no comment ${at}`, '    T'];
          case 'beside':
            return [`    a${at}   = "x" # c${at}`];
          case 'object':
            return [`    a${at} = {`, '      k = 1', '    }'];
          default:
            return [`    enrich "o${at}" { connector = "db" }`];
        }
      });
      const text = [
        '# top',
        'flow "f" { # head',
        '  transform { # t',
        ...lines,
        '  }',
        `}${last ? '' : ' # end'}`,
      ].join('\n');
      return windows ? `${text}\n`.replace(/\n/g, '\r\n') : last ? text : `${text}\n`;
    });
  const value: fc.Arbitrary<LiteralValue> = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 12 }),
    fc.array(fc.constantFrom('$', '%', '{', '}', '"', '\\', 'a', '\n', '#', '~')).map((letters) => letters.join('')),
    fc.integer(),
    fc.boolean(),
  );

  /** Everything that is written but one attribute of the transform. */
  function rest(service: LanguageService, text: string, but: string) {
    const form = service.form('main.hcl', text.indexOf('transform') + 1);
    return {
      attributes: form?.attributes.filter(({ name }) => name !== but).map(({ name, text: own }) => `${name} ${own}`),
      children: form?.children.map(({ range }) => text.slice(range.start, range.end)),
      comments: text.match(/(#|\/\/|\/\*) (?!no)\w+( \*\/)?/g),
      problems: service.diagnostics().filter(({ code }) => code.startsWith('syntax')),
    };
  }

  test('of a text that is not finished keeps everything else, or is refused', () => {
    const service = new LanguageService(supportOfTexts());
    const written = `${base}transform "t" {
  # one
  a = "input.a" # two
  enrich "e" { connector = "db" }
  b = <<-T
    x
  T
  c = {
    d = [1, 2] /* three */
  }
}
flow "f" {
}
`;
    service.open('main.hcl', '');
    const facts = (text: string) => text.replace(/\s+/g, '');
    let made = 0;
    for (let cut = 0; cut <= written.length; cut++) {
      const text = written.slice(0, cut);
      service.change('main.hcl', text);
      for (const offset of [cut, cut >> 1]) {
        let edits: ReturnType<LanguageService['edit']>;
        try {
          edits = service.edit('main.hcl', offset, { set: { name: 'new_one', text: '"x"' } });
        } catch (error) {
          if (!(error instanceof EditRefused)) throw error;
          continue;
        }
        made++;
        expect(facts(applyEdits(text, edits)).replace('new_one="x"', '')).toBe(facts(text));
      }
    }
    expect(made).toBeGreaterThan(0);
  });

  test('of a template keeps its holes', () => {
    const service = new LanguageService(supportOfTexts());
    const piece = fc.constantFrom(
      '${input.id}',
      '${input.a["}"]}',
      '$${',
      '%%{',
      'a"',
      '\\',
      '\n',
      '}',
      '{',
      ':',
      '$',
      'ü',
    );
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1, maxLength: 6 }), (pieces) => {
        const value = pieces.join('');
        // A lone sign in front of a brace would be another word.
        fc.pre(
          !/(^|[^$%])[$%]([$%]{2})*(\{|[$%]*\{)/.test(
            value.replace(/\$\{input[^}]*\}("\]\})?/g, 'x').replace(/[$%]{2}\{/g, 'x'),
          ),
        );
        service.provide('main.hcl', 'cache "c" {\n  ttl = "5m"\n}\n');
        const text = service.text('main.hcl') as string;
        service.provide(
          'main.hcl',
          applyEdits(text, service.edit('main.hcl', 14, { setValue: { name: 'key', value } })),
        );
        const field = service.form('main.hcl', 14)?.attributes.find(({ name }) => name === 'key');
        expect([field?.kind, field?.value]).toEqual(['template', value]);
      }),
    );
  });

  test('keeps all other attributes, blocks and comments; a value that is set is read back', () => {
    const service = new LanguageService(supportOfTexts());
    service.open('main.hcl', '');
    fc.assert(
      fc.property(layout, fc.nat(8), value, fc.boolean(), (text, at, chosen, removes) => {
        service.change('main.hcl', text);
        const name = `a${at}`;
        const offset = text.indexOf('transform') + 1;
        const before = rest(service, text, name);
        const old = service.form('main.hcl', offset)?.attributes.find((field) => field.name === name);
        const change = removes ? { remove: name } : { setValue: { name, value: chosen } };
        if (removes && old === undefined) {
          expect(() => service.edit('main.hcl', offset, change)).toThrow(EditRefused);
          return;
        }
        const edits = service.edit('main.hcl', offset, change);
        service.change('main.hcl', edits);
        const after = service.text('main.hcl') as string;
        const field = service.form('main.hcl', offset)?.attributes.find((one) => one.name === name);
        expect(field?.value).toEqual(
          removes ? undefined : typeof chosen === 'string' ? chosen.normalize('NFC') : chosen,
        );
        const { start, end } = field?.valueRange ?? { start: 0, end: 0 };
        expect(rest(service, after.slice(0, start) + ' '.repeat(end - start) + after.slice(end), name)).toEqual({
          ...before,
          problems: [],
        });
      }),
      { numRuns: 300 },
    );
  });
});
