import { describe, expect, test } from 'vitest';
import { problemsOf } from '../testing/problems.ts';

const cache = `connector "c" {
  type = "cache"
  driver = "memory"
  operation "session" {
    key_pattern = "session:{user_id}"
    ttl = "30m"
  }
  operation "visits" {
    key_pattern = "visits:{page}"
    command = "increment"
  }
}
connector "api" {
  type = "rest"
  port = 3000
}
`;

const step = (body: string) =>
  problemsOf(`${cache}flow "f" {
  from {
    connector = "api"
    operation = "GET /x"
  }
  step "s" {
    connector = "c"
    ${body.replaceAll('; ', '\n    ')}
  }
  response {
    s = "step.s"
  }
}
`);

describe('what params say of an operation that knows its parameters', () => {
  test.each([
    'operation = "get"; params = { key = "input.id" }',
    'operation = "SET"; params = { key = "input.id", value = "input.name", ttl = "5m" }',
    'operation = "increment"; params = { key = "n", by = 2, limit = 100, ttl = 60 }',
    'operation = "session"; params = { user_id = "input.id" }',
    'operation = "session"',
    'operation = "get"; target = "input.id"',
    'operation = "visits"; params = { page = "input.page", by = "input.by" }',
  ])('%s is accepted', (body) => {
    expect(step(body)).toEqual([]);
  });

  test.each([
    ['operation = "get"', 'missing-parameter «"get"»'],
    ['operation = "get"; params = { kye = "input.id" }', 'missing-parameter «"get"»'],
    ['operation = "get"; params = { key = "a", ttl = "5m" }', 'unknown-parameter «"5m"»'],
    ['operation = "set"; params = { key = "input.id", value = 1, ttl = "5 minutes" }', 'invalid-value «"5 minutes"»'],
    ['operation = "set"; params = { key = "input.id", value = 1, ttl = 0 }', 'invalid-value «0»'],
    ['operation = "increment"; params = { key = "n", by = 0.5 }', 'invalid-value «0.5»'],
    ['operation = "visits"; params = { page = "a", value = 1 }', 'unknown-parameter «1»'],
    ['operation = "incr"; params = { key = "a" }', 'unknown-operation «"incr"»'],
  ])('%s is refused', (body, expected) => {
    expect(step(body)).toContain(expected);
  });
});
