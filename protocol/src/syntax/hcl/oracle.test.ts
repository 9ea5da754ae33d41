import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from 'vitest';
import { corpus } from '../testing/corpus.ts';
import verdicts from '../testing/fixtures/verdicts.json' with { type: 'json' };
import { toHcl2Json } from '../testing/hcl2json.ts';
import { mutations } from '../testing/mutate.ts';
import { askOracle } from '../testing/oracle.ts';
import { parseHcl } from './parse.ts';

/*
 * Known differences, each on purpose:
 * - A number that a double cannot hold (1e400) is refused; HashiCorp's parser keeps numbers of any size.
 * - Labels are in Unicode normal form C like all other text, so that a label and a text that names it are equal.
 * - Identifiers follow the Unicode tables of the JavaScript engine, which are newer than those built into the other.
 * - The range of a heredoc ends with its marker; there white space behind the marker belongs to it, which shows where an
 *   expression is quoted as source.
 */

/** Our answer in the form of the oracle's, without its reasons. */
function ownVerdict(source: string): unknown {
  const tree = parseHcl(source, 'corpus.hcl');
  return tree.diagnostics.length === 0 ? { accepted: true, value: plain(toHcl2Json(tree)) } : { accepted: false };
}

async function oraclesVerdict(source: string): Promise<unknown> {
  const verdict = await askOracle(source);
  return verdict.accepted === true ? { accepted: true, value: plain(verdict.value) } : { accepted: verdict.accepted };
}

function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value).normalize('NFC'));
}

describe('the corpus', () => {
  const recorded = new Map<string, unknown>(Object.entries(verdicts));

  test.each(Object.entries(corpus))('%s', (name, source) => {
    expect(ownVerdict(source)).toEqual(recorded.get(name));
  });

  test('the recorded verdicts are those of HashiCorp’s parser', async () => {
    const live: Record<string, unknown> = {};
    for (const [name, source] of Object.entries(corpus)) live[name] = await oraclesVerdict(source);
    await expect(`${JSON.stringify(live, null, 2)}\n`).toMatchFileSnapshot('../testing/fixtures/verdicts.json');
  });
});

test.each([1, 2, 3])('damaged texts are judged in the same way, seed %i', async (seed) => {
  const differing: unknown[] = [];
  for (const source of mutations(seed, 2000)) {
    if (LONG_EXPONENT.test(source)) continue;
    const theirs = await askOracle(source);
    if (theirs.accepted === undefined) continue;
    const ours = ownVerdict(source);
    const expected = theirs.accepted ? { accepted: true, value: plain(theirs.value) } : { accepted: false };
    if (!isDeepStrictEqual(ours, expected)) differing.push({ source, ours, expected });
  }
  expect(differing).toEqual([]);
});

/** Exponents of three digits and more: numbers beyond a double are among them, which the two parsers keep differently. */
const LONG_EXPONENT = /\d[eE][+-]?\d{3}/;
