import { expect, test } from 'vitest';
import { problemOf, problemsOf } from '../testing/problems.ts';

const profiles = {
  database: 'type     = "database"\n    driver   = "sqlite"\n    database = "prices.db"',
  http: 'type     = "http"\n    base_url = "https://prices.example.org"',
};

/** A connector with a profile of each kind, and a step that writes `words`. */
function service(choice: string, words: string): string {
  return `connector "api" {
  type = "rest"
}
connector "prices" {
  ${choice}
  profile "live" {
    ${profiles.http}
  }
  profile "copy" {
    ${profiles.database}
  }
}
flow "price" {
  from {
    connector = "api"
    operation = "GET /price"
  }
  step "price" {
    connector = "prices"
    operation = "GET /price"
    ${words}
  }
  response {
    price = "step.price.amount"
  }
}
`;
}

const query = 'query = "SELECT amount FROM prices"';
const about = (problems: readonly string[]) => problems.filter((one) => one.includes('ignored-by-profile'));

test('a word that the default profile does not take is an error, one that another does not take is a warning', () => {
  expect(about(problemsOf(service('default = "live"', query)))).toEqual([
    'ignored-by-profile «"SELECT amount FROM prices"»',
  ]);
  expect(about(problemsOf(service('default = "copy"', query)))).toEqual([
    'warning ignored-by-profile «"SELECT amount FROM prices"»',
  ]);
  expect(about(problemsOf(service('default = "copy"', 'headers { x = "1" }')))).toEqual([
    'ignored-by-profile «headers»',
  ]);
});

test('without a default every profile that does not take a word is warned of', () => {
  const selected = `select = "env('PRICES', 'live')"`;
  expect(about(problemsOf(service(selected, query)))).toEqual([
    'warning ignored-by-profile «"SELECT amount FROM prices"»',
  ]);
});

test('the profile is named, and what to write instead', () => {
  expect(problemOf('ignored-by-profile', service('default = "live"', query))).toMatchObject({
    severity: 'error',
    message: 'profile "live" (http client) of connector "prices" takes no query, which step writes',
    help: 'Write operation "name" into each profile, and name it in step instead of query.',
  });
});

test('words that every profile takes, and connectors without profiles, have no such problem', () => {
  expect(about(problemsOf(service('default = "live"', '')))).toEqual([]);
  const same = service('default = "live"', 'headers { x = "1" }').replace(profiles.database, profiles.http);
  expect(about(problemsOf(same))).toEqual([]);
});

test('the action of an aspect is held to it as well', () => {
  const aspect =
    'aspect "a" {\n on = ["*"]\n when = "before"\n action {\n connector = "prices"\n target = "t"\n query = "DELETE FROM t"\n }\n}\n';
  expect(about(problemsOf(service('default = "live"', '') + aspect))).toEqual(['ignored-by-profile «"DELETE FROM t"»']);
});
