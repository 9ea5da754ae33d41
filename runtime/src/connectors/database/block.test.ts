import { expect, test } from 'vitest';
import { problemOf, problemsOf } from '../../checks/rules/testing/problems.ts';

const around = `
connector "api" {
  type = "rest"
}

connector "db" {
  type     = "database"
  driver   = "postgres"
  database = "shop"
  user     = "app"

  operation "as_reader" {
    query = "SET ROLE reader"
  }
}
`;

const flow = (body: string) => `${around}
flow "orders" {
  from {
    connector = "api"
    operation = "POST /orders"
  }
${body}
}
`;

test('statements about a connection are refused where they are written, with what to write instead', () => {
  const written = flow(`
  step "tenant" {
    connector = "db"
    query     = "SET app.tenant = 'a'"
  }

  to {
    connector = "db"
    query     = "COMMIT"
  }
`);
  expect(problemsOf(written).filter((each) => each.startsWith('malformed-call'))).toEqual([
    `malformed-call «"SET ROLE reader"»`,
    `malformed-call «"SET app.tenant = 'a'"»`,
    'malformed-call «"COMMIT"»',
  ]);
});

test('a transaction may set what ends with it, and not end itself', () => {
  const written = (last: string) =>
    `${flow(`
  to {
    connector = "db"

    transaction {
      exec {
        query = "SET LOCAL ROLE writer"
      }
      exec {
        query = "${last}"
      }
    }
  }
`).replace('SET ROLE reader', 'SELECT 1')}`;
  expect(problemsOf(written('DELETE FROM orders'))).toEqual([]);
  expect(problemsOf(written('DELETE FROM orders WHERE id = :id'))).toEqual([
    'unbound-parameter «"DELETE FROM orders WHERE id = :id"»',
  ]);
  expect(problemOf('malformed-call', written('COMMIT')).message).toBe(
    'COMMIT does not belong into a transaction, which begins and ends by itself: leave it out',
  );
});
