import { expect, test } from 'vitest';
import { projectOf } from '../../../checks/rules/testing/problems.ts';
import { flowsOf } from '../../../engine/flow/declarations.ts';
import { verbOfDestination, verbOfFlow } from '../../../engine/flow/flow-verb.ts';
import { resolveOperation } from '../../core/operations.ts';

const base = `
connector "api" {
  type = "rest"
  port = 3000
}
connector "shop" {
  type     = "graphql"
  driver   = "client"
  endpoint = "https://shop.example.org/graphql"
  operation "order" {
    document = "query($id: ID!) { order(id: $id) { id } }"
    param "id" {
      default = "1"
    }
  }
}
`;

/** The problems of a configuration: severity, line and message. */
function problems(text: string): readonly string[] {
  const { diagnostics } = projectOf(text);
  return diagnostics
    .filter(({ severity }) => severity !== 'info')
    .map(({ severity, message, range }) => `${severity} ${text.slice(0, range.start).split('\n').length}: ${message}`);
}

const asking = (attributes: string) => `${base}
flow "f" {
  from {
    connector = "api"
    operation = "GET /orders/:id"
  }
  step "shop" {
    connector = "shop"
    ${attributes}
  }
  response {
    order = "step.shop"
  }
}
`;

test.each([
  ['operation = "query($id: ID!) { order(id: $id) { id } }"\n    params = { id = "input.id" }', []],
  ['operation = "order"', []],
  ['operation = "Query.version"', []],
  ['target = "{ version }"', []],
  [
    'operation = "query($id: ID!) { order(id: $id) { id } }"',
    ['error 25: step "shop" of flow "f": nothing gives the variable $id a value: write it in params'],
  ],
  [
    'operation = "query { order("',
    ['error 25: the document ends where a name is expected (line 1, column 15 of the document)'],
  ],
  [
    'operation = "{ a } { b }"',
    ['error 25: the document has more than one operation: write one (line 1, column 7 of the document)'],
  ],
  ['operation = "subscription { tick }"', ['error 25: a subscription is not asked: name it in `operation` of `from`']],
  [
    'operation = "ordr"',
    ['error 25: "ordr" is neither a document, such as query { version }, nor an operation of the connector'],
  ],
  [
    'operation = "{ version }"\n    params = { id = "input.id" }',
    ['error 26: operation "{ version }" of connector "shop" (graphql client) does not take id'],
  ],
  [
    'operation = "{ version }"\n    target = "{ version }"',
    ['error 26: step "shop" of flow "f": the document is in operation; a target has no meaning beside it'],
  ],
  [
    'target = "input.id"',
    [
      'error 24: step "shop" of flow "f": the document is written in the configuration, and does not come with the message',
    ],
  ],
])('a step with %s: %j', (attributes, expected) => {
  expect(problems(asking(attributes))).toEqual(expected);
});

const taking = (operation: string, settings = '') => `
connector "shop" {
  type     = "graphql"
  driver   = "client"
  endpoint = "https://shop.example.org/graphql"
  ${settings}
}
connector "db" {
  type     = "database"
  driver   = "sqlite"
  database = ":memory:"
}
flow "f" {
  from {
    connector = "shop"
    operation = "${operation}"
  }
  to {
    connector = "db"
    target    = "events"
  }
}
`;

test.each([
  ['subscription { tick { at } }', []],
  ['Subscription.tick', []],
  ['query { a }', ['error 16: a query brings no events: write a subscription']],
  ['subscription { a b }', ['error 16: a subscription selects exactly one field (line 1, column 21 of the document)']],
  [
    'subscription($id: ID!) { a(id: $id) }',
    ['error 16: nothing gives $id a value: write it into the document, or a default'],
  ],
])('a flow that takes %s: %j', (operation, expected) => {
  expect(problems(taking(operation))).toEqual(expected);
});

test('a flow takes no events of a client whose subscriptions are switched off', () => {
  const settings = (isOn: boolean) => `subscriptions {\n    enabled = ${isOn}\n  }`;
  expect(problems(taking('Subscription.tick', settings(true)))).toEqual([]);
  expect(problems(taking('Subscription.tick', settings(false)))).toEqual([
    'error 17: connector "shop" (graphql client) cannot start a flow: its subscriptions are switched off (enabled = false)',
  ]);
});

test('a document of a named operation is read where it is written', () => {
  const text = base.replace('{ order(id: $id) { id } }', '{ order(id: $id) { } }');
  expect(problems(`${text}\n`).filter((each) => each.includes('expected'))).toEqual([
    'error 11: "}" is written where a name is expected (line 1, column 36 of the document)',
  ]);
});

test('a named operation is its document, or the field of a root type', () => {
  const named = (attributes: string) => {
    const text = base.replace(/document = .*/, attributes);
    const shop = projectOf(text).connectors.get('shop');
    return shop && resolveOperation(shop, 'order')?.operation;
  };
  expect([
    named('document = "{ a }"'),
    named('document = "{ b }"'),
    named('field = "a"'),
    named('field = "b"'),
    named('operation_type = "Mutation"\n    field = "a"'),
  ]).toEqual(['{ a }', '{ b }', 'Query.a', 'Query.b', 'Mutation.a']);
});

const acting = (operation: string, method: string) => `${base}
flow "f" {
  from {
    connector = "api"
    operation = "${method} /orders"
  }
  to {
    connector = "shop"
    operation = "${operation}"
  }
}
`;

test('a query reads and a mutation writes, whatever triggers the flow', () => {
  const verbOf = (operation: string, method: string) => {
    const project = projectOf(acting(operation, method));
    const [{ values } = { values: undefined }] = flowsOf(project);
    return verbOfDestination(values?.to?.[0], verbOfFlow(values ?? {}, project.connectors), project.connectors);
  };
  expect([
    verbOf('{ version }', 'POST'),
    verbOf('mutation { a }', 'GET'),
    verbOf('mutation { a }', 'PUT'),
    verbOf('mutation { a }', 'DELETE'),
  ]).toEqual(['read', 'create', 'update', 'delete']);
});
