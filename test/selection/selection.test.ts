import { expect, test } from 'vitest';
import { type Selection, selectTests } from '../../scripts/selection.ts';

const summary = ({ files, projects, servers, needsBuild }: Selection) => ({
  files,
  projects,
  servers: servers.map(({ name }) => name),
  needsBuild,
});

test('a file is run in its project, without servers that it does not ask for', () => {
  expect(summary(selectTests(['./runtime/src/platform/sync/glob.test.ts']))).toEqual({
    files: ['runtime/src/platform/sync/glob.test.ts'],
    projects: ['runtime'],
    servers: [],
    needsBuild: false,
  });
});

test('a server is needed by what asks for its variable, directly or in an import', () => {
  expect(summary(selectTests(['runtime/src/platform/sync/store.test.ts']))).toMatchObject({ servers: ['Redis'] });
});

test('a server is needed by what is imported by a computed name', () => {
  const { servers } = summary(selectTests(['runtime/src/connectors/database/pages.test.ts']));
  expect(servers).toEqual(['PostgreSQL', 'MariaDB']);
});

test('tests of the built program need it, and paths may be of several projects', () => {
  const selection = summary(selectTests(['test/scenarios/invoices', 'protocol/src/syntax/format.test.ts']));
  expect(selection).toMatchObject({ projects: expect.arrayContaining(['protocol', 'scenarios']), needsBuild: true });
});

test('every path has to name a test', () => {
  expect(() => selectTests(['glob.test.ts', 'nothing/here'])).toThrow(
    'no file of tests has "nothing/here" in its path',
  );
});
