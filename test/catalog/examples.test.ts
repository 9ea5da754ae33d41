import { describe, expect, test } from 'vitest';
import { type Body, bodies, writing } from './bodies.ts';
import { check } from './check.ts';

/** What examples refer to by name. */
const surroundings = `connector "api" {
  type = "rest"
  port = 0
}
connector "db" {
  type     = "database"
  driver   = "sqlite"
  database = "a.db"
}
connector "memory" {
  type   = "cache"
  driver = "memory"
}
connector "prices" {
  type     = "http"
  base_url = "https://prices.example.org"
}
flow "get_order" {
  from {
    connector = "api"
    operation = "GET /orders/:id"
  }
  to {
    connector = "db"
    target    = "orders"
  }
}
connector "invoices" {
  type      = "file"
  base_path = "invoices"
}
type "node" {
  id = id
}
type "order" {
  id = id
}
type "order_view" {
  id = id
}
type "address" {
  street = string
}
state_machine "ticket" {
  initial = "open"
  state "open" {}
}
flow "send_reset_link" {
  from {
    connector = "api"
    operation = "POST /links"
  }
  to {
    connector = "db"
    target    = "links"
  }
}
aspect "calls_examples" {
  on   = ["get_order"]
  when = "after"
  action {
    flow = "name"
  }
}
`;

/** Where an example is written: tests are not beside what they test. */
function placeOf({ title }: Body): string {
  return /^test\b/.test(title) ? 'tests/example.hcl' : 'example.hcl';
}

/** Errors of a configuration beside what examples refer to, those of other files aside. */
function errors(text: string, path: string): string[] {
  const { diagnostics } = check({ [path]: text, 'surroundings.hcl': surroundings }, 'redis://a');
  return diagnostics
    .filter(({ file, severity }) => file === path && severity === 'error')
    .map(({ code, message }) => `${code}: ${message}`);
}

describe('every example of a block is valid', () => {
  const examples = bodies().filter(({ spec }) => spec.example !== undefined);
  test.each(examples.map((body) => [body.title, body] as const))('%s', (_title, body) => {
    const example = body.spec.example ?? '';
    expect({ example, errors: errors(body.holding(example), placeOf(body)) }).toEqual({ example, errors: [] });
  });
});

describe('every example of an attribute is accepted', () => {
  const examples = bodies().flatMap((body) =>
    Object.entries(body.spec.attributes)
      .filter(([, { example }]) => example !== undefined)
      .map(([name, { example }]) => [`${body.title}: ${name}`, body, name, example as string] as const),
  );
  test.each(examples)('%s', (_title, body, name, example) => {
    const text = writing(body, name, example);
    const start = text.indexOf(`${name} = ${example}`);
    const path = placeOf(body);
    const { diagnostics } = check({ [path]: text, 'surroundings.hcl': surroundings }, 'redis://a');
    const about = diagnostics.filter(
      ({ file, range, severity, code }) =>
        file === path &&
        severity === 'error' &&
        code !== 'cannot-evaluate' &&
        range.start >= start &&
        range.end <= start + name.length + 3 + example.length,
    );
    expect(about.map(({ code, message }) => `${code}: ${message}`)).toEqual([]);
  });
});
