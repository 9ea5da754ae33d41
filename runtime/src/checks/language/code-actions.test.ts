import { describe, expect, test } from 'vitest';
import { Editor } from './testing/editor.ts';

/** What can be done at the cursor: title, and the texts that come of it by path. */
function actions(editor: Editor, newFiles?: boolean) {
  const { service, path, offset } = editor;
  return service
    .codeActions(path, { start: offset, end: offset }, undefined, newFiles)
    .map(({ title, edits, creates, isWhole }) => {
      const texts = [...edits].map(([file, own]) => {
        const before = service.text(file) ?? '';
        service.open(file, before);
        service.change(file, own);
        const after = service.text(file) as string;
        service.change(file, before);
        if (before === '') service.close(file);
        return [file, after] as const;
      });
      return { title, texts: Object.fromEntries(texts), creates, isWhole };
    });
}

function flow(inner: string): string {
  return `flow "f" {\n${inner}\n}\n`;
}

test('fixes of the problems at a place', () => {
  const editor = new Editor('connectr<|> "x" {\n}\n');
  expect(actions(editor)).toEqual([
    {
      title: 'Change to "connector"',
      texts: { 'main.hcl': 'connector "x" {\n}\n' },
      creates: undefined,
      isWhole: true,
    },
  ]);
  expect(editor.service.codeActions(editor.path, { start: 12, end: 12 })).toEqual([]);
});

describe('a missing connector', () => {
  const missing = flow('  from {\n    connector = "pub<|>lic"\n    operation = "GET /x"\n  }');

  test('is written where connectors live', () => {
    const store =
      'connector "db" {\n  type     = "database"\n  driver   = "sqlite"\n  database = "a.db"\n}\nservice {}\n';
    const [action] = actions(new Editor({ 'main.hcl': missing, 'more.hcl': store }));
    expect(action).toEqual({
      title: 'Create missing connector "public"',
      texts: { 'more.hcl': `${store}\nconnector "public" {\n  type = "rest"\n}\n` },
      creates: undefined,
      isWhole: false,
    });
  });

  test('gets a file of its own when there are no files for it, else is written in this one', () => {
    const texts = { 'flows/f.hcl': missing, 'service.hcl': 'service {\n  name = "x"\n}\n' };
    const connector = 'connector "public" {\n  type = "rest"\n}\n';
    expect(actions(new Editor(texts))).toMatchObject([
      { texts: { 'connectors/public.hcl': connector }, creates: 'connectors/public.hcl' },
    ]);
    expect(actions(new Editor(texts), false)).toMatchObject([
      { texts: { 'flows/f.hcl': `${missing.replace('<|>', '')}\n${connector}` }, creates: undefined },
    ]);
  });

  test.each([
    [
      'a query',
      '  step "s" {\n    connector = "x<|>y"\n    query = "SELECT 1"\n  }',
      'type     = "database"\n  driver   = "sqlite"',
    ],
    ['a request', '  step "s" {\n    connector = connector.x<|>y\n    operation = "GET /x"\n  }', 'type     = "http"'],
    ['a table', '  to {\n    connector = "x<|>y"\n    target = "orders"\n  }', 'type     = "database"'],
    ['storage', '  cache {\n    storage = "x<|>y"\n    key = "a"\n  }', 'type   = "cache"\n  driver = "memory"'],
  ])('is one that understands %s', (_what, inner, expected) => {
    const [action] = actions(new Editor(flow(inner)));
    expect(action?.title).toBe('Create missing connector "xy"');
    expect(action?.texts['main.hcl']).toContain(expected);
  });

  test('can be read: what is left is to be filled in', () => {
    const editor = new Editor(missing);
    const [action] = actions(editor);
    editor.service.open('main.hcl', action?.texts['main.hcl'] as string);
    expect(editor.service.diagnostics().map(({ code }) => code)).not.toContain('unknown-connector');
  });
});

describe('a missing part', () => {
  test('attribute, behind those that are there', () => {
    const editor = new Editor('connector "d<|>b" {\n  type   = "database"\n  driver = "sqlite" # here\n}\n');
    const [action] = actions(editor).filter(({ title }) => title.startsWith('Add'));
    expect(action).toEqual({
      title: 'Add missing attribute "database"',
      texts: {
        'main.hcl':
          'connector "db" {\n  type   = "database"\n  driver = "sqlite" # here\n  database = "./data/app.db"\n}\n',
      },
      creates: undefined,
      isWhole: false,
    });
  });

  test('the type of a connector', () => {
    expect(actions(new Editor('connector "x<|>" {\n}\n')).at(0)).toMatchObject({
      title: 'Add missing attribute "type"',
      texts: { 'main.hcl': 'connector "x" {\n  type = "rest"\n}\n' },
    });
  });

  test('the only name that there is', () => {
    const editor = new Editor(
      `connector "api" {\n  type = "rest"\n}\n${flow('  fr<|>om {\n    operation = "GET /x"\n  }')}`,
    );
    expect(actions(editor)[0]?.texts['main.hcl']).toContain('connector = "api"');
  });

  test('block', () => {
    const [action] = actions(new Editor('fl<|>ow "f" {\n}\n'));
    expect(action).toMatchObject({ title: 'Add missing block "from"' });
    expect(action?.texts['main.hcl']).toBe('flow "f" {\n  from {\n    connector = ""\n  }\n}\n');
  });
});
