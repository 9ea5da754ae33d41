import { existsSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { BlockSpec, ConnectorSpec } from '@svc/protocol/schema';
import { vocabulary } from '@svc/runtime/vocabulary';
import { describe, expect, test } from 'vitest';
import { connectors } from '../../runtime/src/connectors/catalog.ts';
import type { Experiment } from './experiments/experiment.ts';
import { shownOfConnectors } from './experiments/index.ts';
import type { Proof } from './proof.ts';
import { configurations, shared, words } from './proofs.ts';

const source = join(import.meta.dirname, '../../runtime/src');

/** Attribute paths of a block, nested blocks included: `pool.max`. */
function attributesOf(body: BlockSpec, path: readonly string[] = [], seen = new Set<BlockSpec>()): string[] {
  if (seen.has(body)) return [];
  seen.add(body);
  return [
    ...Object.keys(body.attributes).map((name) => [...path, name].join('.')),
    ...Object.entries(body.blocks).flatMap(([name, inner]) => attributesOf(inner, [...path, name], seen)),
  ];
}

const titleOf = ({ type, driver }: ConnectorSpec) => `${type} ${driver ?? ''}`.trim();

/** Every attribute that may be written of a connector: of its block, of its operations, and its words by their place. */
function declaredBy(spec: ConnectorSpec): readonly string[] {
  return [
    ...attributesOf(spec.config),
    ...(spec.operation ? attributesOf(spec.operation, ['operation']) : []),
    ...Object.entries(spec.words).flatMap(([at, body]) => attributesOf(body, [at])),
  ];
}

/** Nothing else can be written than what holds without it, so that `svc validate` shows it. */
function hasOneChoice(spec: ConnectorSpec, path: string): boolean {
  return spec.config.attributes[path]?.choices?.length === 1;
}

function proofOf(spec: ConnectorSpec, path: string): Proof | Experiment | undefined {
  const title = titleOf(spec);
  return shownOfConnectors[title]?.[path] ?? configurations[title]?.[path] ?? words[title]?.[path] ?? shared[path];
}

const texts = new Map<string, string>();

/** Whether the file exists and has a test of that title. */
function isThere([file, title]: Proof): boolean {
  const path = join(source, '../..', file);
  if (!texts.has(file)) texts.set(file, existsSync(path) ? readFileSync(path, 'utf8') : '');
  return texts.get(file)?.includes(`'${title}'`) === true;
}

describe('R-01: what is written of a connector differs in something seen', () => {
  test.each(vocabulary.connectors.map((spec) => [titleOf(spec), spec] as const))('of connector %s', (_title, spec) => {
    const folder = Object.keys(connectors).find((key) => connectors[key] === spec);
    const own = `connectors/${folder}`;
    expect(existsSync(join(source, own)), relative(source, own)).toBe(true);
    const without = declaredBy(spec).filter((path) => !hasOneChoice(spec, path) && proofOf(spec, path) === undefined);
    expect(without, 'name the test that shows it in test/catalog/connector-proofs.ts').toEqual([]);
  });

  test('every test that is named is there, and every attribute', () => {
    const named = [...Object.values(configurations), ...Object.values(words), shared].flatMap((one) =>
      Object.entries(one),
    );
    expect(named.filter(([, proof]) => !isThere(proof))).toEqual([]);
    const declared = new Set(vocabulary.connectors.flatMap(declaredBy));
    expect(named.map(([path]) => path).filter((path) => !declared.has(path))).toEqual([]);
    const titles = new Set(vocabulary.connectors.map(titleOf));
    const groups = [configurations, words].flatMap((table) => Object.keys(table));
    expect(groups.filter((title) => !titles.has(title))).toEqual([]);
  });
});
