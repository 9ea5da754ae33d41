import { LanguageService, type StructureItem } from '@svc/protocol/language';
import { expect, test } from 'vitest';
import { supportOfTexts } from './testing/editor.ts';

const text = `connector "db" {
  type     = "database"
  driver   = "sqlite"
  database = "x.db"
}
flow "register" {
  from {
    connector = "api"
    operation = "POST /members"
  }
  accept {
    when = "input.age > 17"
  }
  cache {
    storage = "db"
    key     = "m:\${input.id}:\${ input.age }"
  }
  transform {
    email = "lower(input.email)"
    kind  = "'new'"
  }
  to {
    connector = "db"
    target    = "members"
  }
}
`;

const service = new LanguageService(supportOfTexts());
service.provide('main.hcl', text);

test('expressions are found with their quotes, and with their braces in templates', () => {
  const shown = service.expressionRanges('main.hcl').map(({ start, end }) => text.slice(start, end));
  expect(shown).toEqual(['"input.age > 17"', '${input.id}', '${ input.age }', '"lower(input.email)"', `"'new'"`]);
});

test('an expression that is not closed ends where its text ends', () => {
  service.open('open.hcl', 'flow "a" {\n  accept {\n    when = "input.a\n  }\n}\n');
  expect(service.expressionRanges('open.hcl')).toEqual([{ start: 33, end: 41 }]);
  service.close('open.hcl');
});

test('a file is read as blocks and attributes that know their stage', () => {
  const lines: string[] = [];
  const show = (items: readonly StructureItem[], depth: number) => {
    for (const { kind, word, name, detail, family, connector, selection, children } of items) {
      const facts = [kind, word, name, detail, family, connector].map((fact) => fact || '-').join(' | ');
      lines.push(`${'  '.repeat(depth)}${facts} | ${text.slice(selection.start, selection.end)}`);
      show(children, depth + 1);
    }
  };
  show(service.structure('main.hcl').slice(1), 0);
  expect(lines).toMatchInlineSnapshot(`
    [
      "block | flow | register | - | - | - | "register"",
      "  block | from | api | POST /members | gate | - | from",
      "    attribute | connector | - | api | gate | - | connector",
      "    attribute | operation | - | POST /members | gate | - | operation",
      "  block | accept | - | - | gate | - | accept",
      "    attribute | when | - | input.age > 17 | gate | - | when",
      "  block | cache | - | db | gate | - | cache",
      "    attribute | storage | - | db | gate | - | storage",
      "    attribute | key | - | - | gate | - | key",
      "  block | transform | - | 2 rules | shape | - | transform",
      "    rule | email | - | lower(input.email) | shape | - | email",
      "    rule | kind | - | 'new' | shape | - | kind",
      "  block | to | db | members | deliver | - | to",
      "    attribute | connector | - | db | deliver | - | connector",
      "    attribute | target | - | members | deliver | - | target",
    ]
  `);
  expect(service.structure('main.hcl')[0]).toMatchObject({
    kind: 'block',
    word: 'connector',
    name: 'db',
    detail: 'database sqlite',
    family: undefined,
    connector: 'db',
  });
});
