import { expect, test } from 'vitest';
import { isTest, readSources } from './sources.ts';

const sources = readSources();

/** Lines at which a file is looked at hard. */
const limit = 400;

/** Files that are longer, each with the reason why it is one concept all the same. */
const longer: Readonly<Record<string, string>> = {};

test('files are named after what they hold', () => {
  const empty = /(^|[/-])(utils?|helpers?|managers?|common|misc|shared|stuff|base)([./-]|$)/i;
  const found = sources
    .map(({ path }) => path.replace(/^studio\/src\/shared\//, ''))
    .filter((path) => empty.test(path.replace(/^\w+\/(src\/)?/, '')));
  expect(found).toEqual([]);
});

test('file names are lower case words with hyphens', () => {
  const found = sources.filter(({ path }) => !/^[a-z0-9]+([.-][a-z0-9]+)*\.tsx?$/.test(path.split('/').at(-1)!));
  expect(found.map(({ path }) => path)).toEqual([]);
});

test(`a file over ${limit} lines is listed with a reason, and no file is listed unnecessarily`, () => {
  const long = sources
    .filter(({ path, text }) => !isTest(path) && text.split('\n').length - 1 > limit)
    .map(({ path }) => path);
  expect(long).toEqual(Object.keys(longer).sort());
});
