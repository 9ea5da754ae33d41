import { describe, expect, test } from 'vitest';
import { problemsOf } from '../testing/problems.ts';

const connectors = `
connector "api" {
  type = "rest"
  port = 3000
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
`;

const flow = (blocks: string, source = 'db') =>
  problemsOf(`${connectors}
flow "f" {
  from {
    connector = "api"
    operation = "POST /f"
  }
  batch {
    source = "${source}"
    query  = "SELECT id FROM a ORDER BY id"
    to {
      connector = "db"
      target    = "b"
    }
  }
  ${blocks}
}
`).filter((problem) => !problem.startsWith('info'));

describe('a block that is the whole work of a flow', () => {
  test('is allowed beside gates, answer and error handling', () => {
    expect(flow('accept { when = "true" }\n  response { n = "output.processed" }')).toEqual([]);
  });

  test.each([
    ['to', 'to {\n    connector = "db"\n    target    = "b"\n  }'],
    ['transform', 'transform { a = "1" }'],
    ['step', 'step "s" {\n    connector = "db"\n    target    = "b"\n  }'],
  ])('takes the place of %s', (_word, block) => {
    expect(flow(block).map((problem) => problem.split(' ')[0])).toEqual(['conflicting-blocks']);
  });

  test('a batch reads a database', () => {
    expect(flow('', 'peer')).toEqual(['not-a-source «"peer"»']);
  });
});
