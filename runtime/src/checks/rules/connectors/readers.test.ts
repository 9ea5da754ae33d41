import { expect, test } from 'vitest';
import { problemOf, problemsOf } from '../testing/problems.ts';

const database = (lines: string) => `connector "db" {\n  type = "database"\n  driver = "sqlite"\n${lines}\n}\n`;
const problems = (lines: string) => problemsOf(database(lines)).filter((problem) => problem.startsWith('readers'));

test('a database in memory has no readers', () => {
  const text = 'database = ":memory:"\nreaders = 3';
  expect(problems(text)).toEqual(['readers-of-memory «3»']);
  expect(problemOf('readers-of-memory', database(text))).toMatchObject({
    severity: 'error',
    message: 'database "db" is in the memory of the service, which no reader can read',
    help: 'Remove readers, or give the database a file.',
  });
  expect(problems('database = ":memory:"')).toEqual([]);
  expect(problems('database = ":memory:"\nreaders = 0')).toEqual([]);
  expect(problems('database = "app.db"\nreaders = 3')).toEqual([]);
});
