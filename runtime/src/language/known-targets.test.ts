import { expect, test } from 'vitest';
import { Editor } from './testing/editor.ts';

const connectors = `connector "books" {
  type  = "search"
  index = "books"
}
connector "other" {
  type  = "search"
  index = "books"
}
`;

function at(inner: string, around = 'flow "f"'): Editor {
  const editor = new Editor({ 'connectors.hcl': connectors, 'main.hcl': `${around} {\n${inner}\n}\n` });
  editor.service.know('books', [
    { name: 'library', kind: 'alias' },
    { name: 'books-2026', kind: 'index' },
  ]);
  return editor;
}

test.each([
  ['a destination', `  to {\n    connector = "books"\n    target = "<|>"\n  }`, 'flow "f"'],
  ['a step', `  step "s" {\n    target = "lib<|>"\n    connector = "books"\n  }`, 'flow "f"'],
  ['an action of an aspect', `  action {\n    connector = "books"\n    target = "<|>"\n  }`, 'aspect "a"'],
])('what a running service knows is offered as the target of %s', (_, inner, around) => {
  const offered = at(inner, around).completion();
  expect(
    offered
      .filter(({ detail }) => detail === 'alias' || detail === 'index')
      .map(({ label, edit }) => [label, edit.text]),
  ).toEqual([
    ['library', '"library"'],
    ['books-2026', '"books-2026"'],
  ]);
});

test('it is offered for its connector alone, as a target alone, and until other names are given', () => {
  const labels = (inner: string) => at(inner).labels();
  expect(labels(`  to {\n    connector = "other"\n    target = "<|>"\n  }`)).not.toContain('library');
  expect(labels(`  to {\n    connector = "books"\n    operation = "<|>"\n  }`)).not.toContain('library');
  const editor = at(`  to {\n    connector = "books"\n    target = "<|>"\n  }`);
  editor.service.know('books', [{ name: 'later', kind: 'index' }]);
  expect(editor.labels()).toContain('later');
  expect(editor.labels()).not.toContain('library');
});
