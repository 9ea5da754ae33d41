import { inDirectory } from '../../../cli/testing/typed.ts';
import { type RunTestsOptions, runTests, type TestReport } from '../run-tests.ts';

/** A service that tests are written for: a server, a queue, a database, a peer and caches, none of which exists. */
export const connectors = `connector "api" {
  type = "rest"
  port = 0
  operation "find" {
    method = "GET"
    path   = "/orders/:id"
  }
}
connector "broker" {
  type = "mq"
  driver = "rabbitmq"
  url  = "amqp://nowhere.invalid"
  consumer {
    queue = "orders"
  }
}
connector "db" {
  type     = "database"
  driver   = "postgres"
  url      = "postgres://nowhere.invalid/orders"
  operation "recent" {
    query = "SELECT * FROM orders WHERE id > :since"
  }
}
connector "bank" {
  type     = "http"
  base_url = "http://nowhere.invalid"
  operation "charge" {
    method = "POST"
    path   = "/charges"
  }
}
connector "shared" {
  type   = "cache"
  driver = "redis"
  url    = "redis://nowhere.invalid"
}
`;

/** A flow that a request starts. */
export const flow = (name: string, operation: string, body: string, connector = 'api') =>
  `flow "${name}" {\n  from {\n    connector = "${connector}"\n    operation = "${operation}"\n  }\n${body}\n}\n`;

/** A test of a flow. */
export const test = (name: string, flow: string, body: string) => `test "${name}" {\n  flow = "${flow}"\n${body}\n}\n`;

/** Runs tests of flows; `more` are further files by path. */
export function tested(
  flows: string,
  tests: string,
  options: Partial<RunTestsOptions> = {},
  more: Readonly<Record<string, string>> = {},
): Promise<TestReport> {
  const files = { 'connectors.hcl': connectors, 'flows.hcl': flows, 'tests/all.hcl': tests, ...more };
  return inDirectory(files, (directory) =>
    runTests(directory, {
      environment: {},
      workingDirectory: directory,
      filter: undefined,
      coverage: false,
      ...options,
    }),
  );
}

/** What went wrong in each test: `subject: expected, not actual`; none for a test that passed. */
export function outcomes({ results, diagnostics }: TestReport): Readonly<Record<string, readonly string[]>> {
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  if (errors.length > 0) throw new Error(errors.map(({ message, file }) => `${file}: ${message}`).join('\n'));
  return Object.fromEntries(
    results.map(({ name, problems }) => [
      name,
      problems.map(({ subject, expected, actual }) => `${subject}: ${expected}, not ${actual}`),
    ]),
  );
}
