import { expect, test } from 'vitest';
import { projectOf } from '../../checks/rules/testing/problems.ts';
import { flowsOf } from './declarations.ts';
import { verbOfFlow } from './flow-verb.ts';

const connectors = `connector "api" {
  type = "rest"
  port = 0
}
connector "db" {
  type     = "database"
  driver   = "sqlite"
  database = "a.db"
  operation "purge" {
    query = "DELETE FROM carts"
  }
}
connector "prices" {
  type     = "http"
  base_url = "http://prices"
}
`;
const request = 'from {\n    connector = "api"\n    operation = "POST /x"\n  }';
const database = (rest: string) => `to {\n    connector = "db"\n    ${rest}\n  }`;

test.each([
  ['when = "@daily"', database('target = "carts"'), 'create'],
  ['when = "@daily"', database('operation = "SELECT"\n    target = "carts"'), 'read'],
  ['when = "@daily"', 'to { connector = "prices" }', 'create'],
  ['when = "@daily"', database('query = "SELECT 1"'), 'read'],
  ['when = "@daily"', database('query = "DELETE FROM carts"'), 'delete'],
  ['when = "@daily"', database('operation = "INSERT"\n    target = "carts"'), 'create'],
  ['when = "@daily"', database('operation = "purge"'), 'delete'],
  ['when = "@daily"', database('target = "purge"'), 'delete'],
  ['when = "@daily"', 'to {\n    connector = "prices"\n    operation = "PUT /sync"\n  }', 'update'],
  ['when = "@daily"', 'to {\n    connector = "prices"\n    operation = "GET /warm"\n  }', 'read'],
  ['when = "@daily"', '', 'read'],
  [`${request}\n  when = "@daily"`, database('target = "carts"'), 'create'],
])('a flow with %s and %s asks for: %s', (trigger, to, verb) => {
  const project = projectOf(`${connectors}flow "f" {\n  ${trigger}\n  ${to}\n}\n`);
  const [flow] = flowsOf(project);
  expect(flow && verbOfFlow(flow.values, project.connectors)).toBe(verb);
});
