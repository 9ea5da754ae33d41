import { describe, expect, test } from 'vitest';
import { Editor } from './testing/editor.ts';

const connectors = `connector "api" {
  type = "rest"
}
connector "live" {
  type = "websocket"
}
connector "db" {
  type     = "database"
  driver   = "sqlite"
  database = "x.db"
}
connector "peer" {
  type     = "http"
  base_url = "https://example.org"
}
connector "either" {
  default = "a"
  profile "a" {
    type     = "http"
    base_url = "https://example.org"
  }
  profile "b" {
    type     = "database"
    driver   = "sqlite"
    database = "x.db"
  }
}
`;
const words = ['query', 'query_filter', 'format', 'envelope', 'headers', 'transaction'];
const inFlow = (block: string) => new Editor({ 'a.hcl': `flow "f" {\n  ${block}\n}\n`, 'z.hcl': connectors });

describe('words of the connector that a block names', () => {
  test.each([
    ['to { connector = "db"', ['query', 'query_filter', 'transaction']],
    ['to { connector = connector.peer', ['query_filter', 'format', 'envelope', 'headers']],
    ['to { connector = "either"', words],
    ['to { connector = "live"', []],
    ['to { connector = "missing"', []],
    ['to { when = "true"', []],
    ['step "s" { connector = "db"', ['query']],
    ['step "s" { connector = "peer"', ['format', 'envelope', 'headers']],
    ['enrich "s" { connector = "peer"', ['headers']],
    ['from { connector = "api"', ['format']],
    ['from { connector = "live"', []],
  ])('%s: they are offered, in whatever file it is declared', (head, expected) => {
    const offered = inFlow(`${head.replace('{ ', '{\n')}\n    <|>\n  }`).labels();
    expect(words.filter((word) => offered.includes(word))).toEqual(expected);
  });

  test('they are explained, and completed inside', () => {
    expect(inFlow('to {\n    connector = "peer"\n    enve<|>lope = "a"\n  }').hover()).toContain(
      'Wraps the payload under this one key.',
    );
    expect(inFlow('from {\n    connector = "api"\n    format = "<|>"\n  }').labels()).toContain('csv');
    expect(inFlow('to {\n    connector = "peer"\n    headers = { a = "inp<|>" }\n  }').labels()).toContain('input');
  });

  test('what is offered changes with the connector, in another file', () => {
    const editor = inFlow('to {\n    connector = "db"\n    <|>\n  }');
    expect(editor.labels()).toContain('query');
    editor.service.provide(
      'z.hcl',
      connectors.replace('connector "db"', 'connector "other"').replace('"peer"', '"db"'),
    );
    expect(editor.labels()).not.toContain('query');
    expect(editor.labels()).toContain('envelope');
  });
});
