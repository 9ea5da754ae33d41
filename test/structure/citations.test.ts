import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { describe, expect, test } from 'vitest';
import { caseNumber, readCases } from './cases.ts';
import { isTest, readSources, root } from './sources.ts';
import { readTexts, topPages } from './words.ts';

const texts = readTexts(root, [
  'protocol',
  'runtime',
  'studio',
  'test',
  'e2e',
  'scripts',
  'docs',
  'examples',
  ...topPages,
]);
const pages = texts.filter(({ path }) => path.endsWith('.md'));

/** What names a text outside of the repository: a numbered document, a supplement, a decision or an issue by its number. */
const outside = /\bdocuments? \d+|\bsupplement(?:s|ary|\b)|\bdecisions? \d+|\b(?:issue|ticket) #?\d+/gi;

function citedOutside(text: string): string[] {
  return [...text.matchAll(outside)].map(([found]) => found);
}

/** Anchors of the headings of a page, as GitHub makes them. */
function anchorsOf(text: string): ReadonlySet<string> {
  const anchors = new Set<string>();
  const withoutCode = text.replace(/^```[\s\S]*?^```/gm, '');
  for (const [, heading = ''] of withoutCode.matchAll(/^#+ (.+)$/gm)) {
    const words = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
    const anchor = words.replace(/[^\p{L}\p{N}\s_-]/gu, '').replaceAll(' ', '-');
    let unique = anchor;
    for (let count = 1; anchors.has(unique); count++) unique = `${anchor}-${count}`;
    anchors.add(unique);
  }
  return anchors;
}

/** Why a link leads nowhere; undefined when it leads to a file and, if it names one, to a heading. */
function brokenBecause(path: string, anchor: string | undefined): string | undefined {
  const file = join(root, path);
  if (!existsSync(file)) return 'there is no such file';
  if (anchor === undefined || !path.endsWith('.md')) return undefined;
  return anchorsOf(readFileSync(file, 'utf8')).has(anchor) ? undefined : 'there is no such heading';
}

describe('citations', () => {
  test('sources, pages and examples cite nothing that is outside of the repository', () => {
    const found = texts
      .filter(({ path }) => path !== 'test/structure/citations.test.ts')
      .flatMap(({ path, text }) => citedOutside(text).map((cited) => `${path}: ${cited}`));
    expect(found).toEqual([]);
  });

  test.each([
    ['as document 1 says (supplement 2.5; Decisions 12)', ['document 1', 'supplement', 'Decisions 12']],
    ['one document of 3, and a decision that was taken', []],
  ])('a citation is found: %s', (text, expected) => {
    expect(citedOutside(text)).toEqual(expected);
  });

  test('every page below docs that a text names exists, with its heading', () => {
    const broken = texts.flatMap(({ path, text }) =>
      [...text.matchAll(/\b(docs\/[\w./-]+\.md)(?:#([\w-]+))?/g)].flatMap(([link, page = '', anchor]) => {
        const why = brokenBecause(page, anchor);
        return why === undefined ? [] : [`${path}: ${link}: ${why}`];
      }),
    );
    expect(broken).toEqual([]);
  });

  test('every link of a page leads to a file, and to a heading that it has', () => {
    const broken = pages.flatMap(({ path, text }) =>
      [...text.replace(/^```[\s\S]*?^```/gm, '').matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)/g)].flatMap(
        ([link, target = '', anchor]) => {
          const to = target === '' ? path : posix.join(dirname(path), target);
          const why = brokenBecause(to, anchor);
          return why === undefined ? [] : [`${path}: ${link}: ${why}`];
        },
      ),
    );
    expect(broken).toEqual([]);
  });

  test.each([
    ['# One page\n## `from` and to\n## Order of stages\n', ['one-page', 'from-and-to', 'order-of-stages']],
    ['## A\n```sh\n# no heading\n```\n## A\n', ['a', 'a-1']],
  ])('headings have the anchors of GitHub: %j', (text, expected) => {
    expect([...anchorsOf(text)]).toEqual(expected);
  });
});

describe('numbered cases', () => {
  const cases = readCases();
  const numbers = cases.map(({ number }) => number);
  const sources = readSources();
  const benchmark = (path: string) => path.startsWith('test/bench/');
  /** Numbers in the strings of tests and benchmarks, which are their titles. */
  const titled = new Map(
    sources
      .filter(({ path }) => isTest(path) || benchmark(path))
      .map(({ path, text }) => [path, withoutComments(text).match(caseNumber) ?? []]),
  );

  test('are each listed once, and every row can be read', () => {
    const page = readFileSync(join(root, 'docs/specification/cases.md'), 'utf8');
    const rows = page.split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('| Case '));
    expect(rows.length).toBe(cases.length);
    expect(new Set(numbers).size).toBe(cases.length);
    expect(cases.filter(({ holds }) => !/^.+\.$/.test(holds)).map(({ number }) => number)).toEqual([]);
  });

  test('are on the page when a title carries them', () => {
    const missing = [...titled].flatMap(([path, found]) =>
      found.filter((number) => !numbers.includes(number)).map((number) => `${path}: ${number}`),
    );
    expect(missing).toEqual([]);
  });

  test('are in the title of at least one test or benchmark', () => {
    const shown = new Set([...titled.values()].flat());
    expect(numbers.filter((number) => !shown.has(number))).toEqual([]);
  });

  test('are not written in comments', () => {
    const found = sources.flatMap(({ path, text }) =>
      [...text.matchAll(comment)].flatMap(([words]) =>
        (words.match(caseNumber) ?? []).map((number) => `${path}: ${number}`),
      ),
    );
    expect(found).toEqual([]);
  });
});

const comment = /^[ \t]*(?:\/\/.*|\/\*[\s\S]*?\*\/)/gm;

function withoutComments(text: string): string {
  return text.replace(comment, '');
}
