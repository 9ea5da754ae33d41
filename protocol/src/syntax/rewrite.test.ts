// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are HCL, which has such templates of its own
import { describe, expect, test } from 'vitest';
import { applyEdits, type TextEdit } from '../text/index.ts';
import { parseHcl } from './hcl/parse.ts';
import { type BlockPath, blockAt, bodyAt, pathOf } from './locate.ts';
import { addBlock, moveBlock, quote, removeAttribute, removeBlock, renameBlock, setAttribute } from './rewrite.ts';
import { literalText, sourceOf } from './source.ts';
import { seeded } from './testing/mutate.ts';
import type { Block, SyntaxTree } from './tree.ts';

const SERVICE = `# The database.
connector "db" { # main
  type   = "database" # kind
  driver = "sqlite"

  pool { max = 1 }
}

flow "get" {
  from {}
  # where it goes
  to {
    query = <<-SQL
      SELECT 1
    SQL
  }
}
`;

const DB: BlockPath = [{ type: 'connector', labels: ['db'], index: 0 }];
const GET: BlockPath = [{ type: 'flow', labels: ['get'], index: 0 }];
const inside = (path: BlockPath, type: string): BlockPath => [...path, { type, labels: [], index: 0 }];
const rewritten = (edit: (tree: SyntaxTree) => TextEdit[]) => applyEdits(SERVICE, edit(parseHcl(SERVICE, 'a.hcl')));

test('sets the value of an attribute', () => {
  expect(rewritten((tree) => setAttribute(tree, DB, 'driver', '"postgres"'))).toBe(
    SERVICE.replace('sqlite', 'postgres'),
  );
});

test('adds an attribute below the others, in their column', () => {
  expect(rewritten((tree) => setAttribute(tree, DB, 'host', '"x"'))).toBe(
    SERVICE.replace('"sqlite"\n', '"sqlite"\n  host   = "x"\n'),
  );
});

test('adds an attribute to a block on one line', () => {
  expect(rewritten((tree) => setAttribute(tree, inside(DB, 'pool'), 'min', '0'))).toBe(
    SERVICE.replace('pool { max = 1 }', 'pool {\n    max = 1\n    min = 0\n  }'),
  );
});

test('adds an attribute to an empty block', () => {
  expect(rewritten((tree) => setAttribute(tree, inside(GET, 'from'), 'connector', '"api"'))).toBe(
    SERVICE.replace('from {}', 'from {\n    connector = "api"\n  }'),
  );
});

test('gives a value to an attribute without one', () => {
  const text = 'a {\n  b =\n}\n';
  const edits = setAttribute(parseHcl(text, ''), [{ type: 'a', labels: [], index: 0 }], 'b', '1');
  expect(applyEdits(text, edits)).toBe('a {\n  b = 1\n}\n');
});

test('removes an attribute with its line, and keeps the comment beside it', () => {
  expect(rewritten((tree) => removeAttribute(tree, DB, 'driver'))).toBe(SERVICE.replace('  driver = "sqlite"\n', ''));
  expect(rewritten((tree) => removeAttribute(tree, DB, 'type'))).toBe(
    SERVICE.replace('type   = "database" # kind', '# kind'),
  );
  expect(rewritten((tree) => removeAttribute(tree, inside(DB, 'pool'), 'max'))).toBe(
    SERVICE.replace('{ max = 1 }', '{ }'),
  );
});

test('adds, removes, moves and renames blocks', () => {
  expect(rewritten((tree) => addBlock(tree, GET, 'retry {\n  attempts = 3\n}'))).toBe(
    SERVICE.replace('    SQL\n  }\n', '    SQL\n  }\n  retry {\n    attempts = 3\n  }\n'),
  );
  expect(rewritten((tree) => removeBlock(tree, inside(GET, 'from')))).toBe(SERVICE.replace('  from {}\n', ''));
  expect(rewritten((tree) => moveBlock(tree, inside(GET, 'to'), []))).toBe(
    SERVICE.replace(/ {2}to \{[\s\S]*SQL\n {2}\}\n\}\n$/, '}\nto {\n  query = <<-SQL\n      SELECT 1\n    SQL\n}\n'),
  );
  expect(rewritten((tree) => renameBlock(tree, DB, 0, 'a "b" ${c}'))).toBe(
    SERVICE.replace('"db"', () => '"a \\"b\\" $${c}"'),
  );
});

test('moves a block in front of another and its comments', () => {
  expect(rewritten((tree) => moveBlock(tree, inside(DB, 'pool'), GET, inside(GET, 'to')))).toBe(
    SERVICE.replace('  pool { max = 1 }\n', '').replace('  # where', '  pool { max = 1 }\n  # where'),
  );
  expect(rewritten((tree) => moveBlock(tree, GET, [], DB))).toBe(
    `${SERVICE.slice(SERVICE.indexOf('flow'))}${SERVICE.slice(0, SERVICE.indexOf('flow'))}`,
  );
  expect(rewritten((tree) => moveBlock(tree, GET, [], inside(GET, 'to')))).toBe(SERVICE);
});

test('what a path does not lead to is not changed', () => {
  expect(rewritten((tree) => setAttribute(tree, inside(DB, 'nothing'), 'a', '1'))).toBe(SERVICE);
  expect(rewritten((tree) => moveBlock(tree, GET, inside(GET, 'to')))).toBe(SERVICE);
});

test.each(['', 'a', '"', '\\', '${x}', '%{y}', '$${z}', 'l\nm\r\n\tn', '$', '100%', '$$'])('quotes %j', (text) => {
  const item = parseHcl(`a = ${quote(text)}\n`, '').body.items[0];
  expect(item?.kind === 'attribute' && literalText(item.value)).toBe(text);
});

describe('random sequences of edits', () => {
  test.each([1, 2, 3, 4, 5])('seed %i', (seed) => {
    const random = seeded(seed);
    const pick = <Item>(items: readonly Item[]) => items[Math.floor(random() * items.length)] as Item;
    let text = SERVICE;
    for (let step = 0; step < 150; step++) {
      const tree = parseHcl(text, '');
      const paths = [[], ...pathsOf(tree)];
      const path = pick(paths);
      const body = bodyAt(tree, path);
      const name = pick(['type', 'driver', 'query', 'a', 'b']);
      const kind = pick(['set', 'set', 'remove', 'add', 'drop', 'move', 'rename']);
      const comments = text.match(/#.*/g);
      let edits: TextEdit[] = [];
      let holds = (_: SyntaxTree) => true;
      if (kind === 'set') {
        const source = pick(['1', '"x"', '[\n  1,\n]', '<<E\n  t\nE', '{ k = "v" }']);
        // A text over several lines needs lines of its own, which a block on one line has not.
        if (source.includes('\n') && isOnOneLine(text, blockAt(tree, path))) continue;
        edits = setAttribute(tree, path, name, source);
        holds = (after) => writtenValue(after, path, name)?.replace(/\s/g, '') === source.replace(/\s/g, '');
      } else if (kind === 'remove') {
        edits = removeAttribute(tree, path, name);
        holds = (after) => writtenValue(after, path, name) === undefined;
      } else if (kind === 'add') {
        edits = addBlock(tree, path, pick(['n {\n  a = 1\n}', 'm "l" {}', 'h {\n  q = <<E\n t\nE\n}']));
        holds = (after) => pathsOf(after).length === paths.length;
      } else if (kind === 'rename') {
        edits = renameBlock(tree, path, 0, `r${step}`);
        holds = (after) => edits.length === 0 || after.text.includes(`r${step}`);
      } else if (kind === 'move') {
        edits = moveBlock(tree, path, pick(paths));
        holds = (after) => pathsOf(after).length === paths.length - 1;
      } else if (paths.length > 6 && path.length > 0) {
        edits = removeBlock(tree, path);
        holds = (after) => pathsOf(after).length < paths.length - 1;
      }
      const after = parseHcl(applyEdits(text, edits), '');
      const context = { step, kind, path, name, text, after: after.text };
      expect({ ...context, problems: after.diagnostics }).toEqual({ ...context, problems: [] });
      expect({ ...context, holds: body === undefined || holds(after) }).toEqual({ ...context, holds: true });
      if (kind !== 'drop')
        expect({ ...context, comments: after.text.match(/#.*/g)?.length }).toEqual({
          ...context,
          comments: comments?.length,
        });
      text = after.text;
    }
  });
});

function isOnOneLine(text: string, block: Block | undefined): boolean {
  return block !== undefined && !sourceOf(block, text).includes('\n');
}

function pathsOf(tree: SyntaxTree): BlockPath[] {
  const paths: BlockPath[] = [];
  const visit = (blocks: readonly Block[], items: SyntaxTree['body']['items']): void => {
    for (const item of items) {
      if (item.kind !== 'block') continue;
      paths.push(pathOf(tree, [...blocks, item]));
      visit([...blocks, item], item.body.items);
    }
  };
  visit([], tree.body.items);
  return paths;
}

function writtenValue(tree: SyntaxTree, path: BlockPath, name: string): string | undefined {
  const item = bodyAt(tree, path)?.items.find(
    (candidate) => candidate.kind === 'attribute' && candidate.name.text === name,
  );
  return item?.kind === 'attribute' && item.value !== undefined ? sourceOf(item.value, tree.text) : undefined;
}
