import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AttributeSpec, BlockSpec } from '@svc/protocol/schema';
import { vocabulary } from '@svc/runtime/vocabulary';
import { describe, expect, test } from 'vitest';
import { constraints } from '../../runtime/src/engine/flow/stages/validate/spec.ts';
import { bodies, sample, writing } from './bodies.ts';
import { check } from './check.ts';
import type { Experiment } from './experiments/experiment.ts';
import type { Shown } from './experiments/flows.ts';
import { shown, shownOfConnectors } from './experiments/index.ts';
import type { Proof } from './proof.ts';

const isExperiment = (one: Experiment | Proof): one is Experiment => 'observe' in one;

/** Whether a root block is a definition that `use` brings into another block, and nothing else. */
const isDefinition = (word: string): boolean => vocabulary.blocks[word]?.reusable === true;

/** What has to be shown, by the words of `shown`. */
const declared: Readonly<Record<string, BlockSpec>> = {
  ...Object.fromEntries(Object.entries(vocabulary.blocks).filter(([word]) => !isDefinition(word))),
  'a field of a type': constraints,
  'a connector with profiles': vocabulary.profiled,
  profile: vocabulary.everyProfile,
};

/** Attribute paths of a block, nested blocks included: `rate_limit.burst`; `*` represents names of an author's choosing. */
function attributesOf(spec: BlockSpec, path: readonly string[] = [], around: readonly BlockSpec[] = []): string[] {
  if (around.includes(spec)) return [];
  const names = [...Object.keys(spec.attributes), ...(spec.fields ? ['*'] : [])];
  return [
    ...names.map((name) => [...path, name].join('.')),
    ...Object.entries(spec.blocks).flatMap(([word, inner]) => attributesOf(inner, [...path, word], [...around, spec])),
  ];
}

describe.each(Object.entries(declared))('R-01: what is written of %s differs in something seen', (word, spec) => {
  const table = shown[word] ?? {};
  test('every attribute is shown, and nothing else', () => {
    expect(Object.keys(table).sort()).toEqual(attributesOf(spec).sort());
  });

  test('every test that is named exists', () => {
    const proofs = Object.values(table).flatMap((one) => (isExperiment(one) ? [] : [one]));
    expect(proofs.filter((proof) => !isThere(proof))).toEqual([]);
  });

  testsOf(table);
});

describe.each(Object.entries(shownOfConnectors))('R-01: what is written of connector %s differs', (_title, table) => {
  testsOf(table);
});

/** Each experiment as a test: another value is seen, and the same one gives the same. */
function testsOf(table: Shown): void {
  const experiments = Object.entries(table).flatMap(([path, one]) => (isExperiment(one) ? [[path, one] as const] : []));
  test.each(experiments)('%s', async (_path, { values: [one, other], observe }) => {
    const seen = await observe(one);
    expect(await observe(one), 'the same value twice').toEqual(seen);
    expect(await observe(other), `${one} and ${other}`).not.toEqual(seen);
  });
}

function isThere([file, title]: Proof): boolean {
  const path = join(import.meta.dirname, '../..', file);
  return title !== '' && existsSync(path) && readFileSync(path, 'utf8').includes(`'${title}'`);
}

describe('R-01: what a definition says is what would have been written in its place', () => {
  const places: Readonly<Record<string, (block: string) => string>> = {
    retry: (block) => `error_handling {\n${block}}\n`,
    transaction: (block) => `to {\nconnector = "db"\n${block}}\n`,
  };
  /** The values of a flow with this block in it. */
  const valuesOf = (word: string, block: string, definition = ''): string => {
    const inside = (places[word] ?? ((one: string) => one))(block);
    const surroundings = 'connector "db" {\ntype = "database"\ndriver = "sqlite"\ndatabase = "a.db"\n}\n';
    const text = `${surroundings}${definition}flow "f" {\n${inside}}\n`;
    const [flow] = check({ 'main.hcl': text }).all('flow', vocabulary.blocks['flow'] as BlockSpec);
    return JSON.stringify(flow?.values, (key, value) =>
      key === 'origin' ? undefined : typeof value === 'bigint' ? `${value}n` : value,
    );
  };
  const definitions = bodies().filter(({ title }) => isDefinition(title.split(' ')[0] as string));
  const attributes = definitions.flatMap((body) => {
    const { attributes: own, fields } = body.spec;
    const all: [string, AttributeSpec][] = [
      ...Object.entries(own),
      ...(fields ? [['any_name', fields] as [string, AttributeSpec]] : []),
    ];
    return all.map(([name, spec]) => [`${body.title}: ${name}`, body, name, sample(spec)] as const);
  });

  test('there are definitions', () => {
    expect(attributes.length).toBeGreaterThan(50);
  });

  test.each(attributes)('%s', (title, body, name, value) => {
    const word = title.split(/[ :]/)[0] as string;
    const definition = writing(body, name, value);
    const inPlace = valuesOf(word, definition.replace(/^(\w+) "name"/, '$1'));
    expect(valuesOf(word, `${word} {\nuse = "name"\n}\n`, definition)).toBe(inPlace);
    expect(inPlace).not.toBe(valuesOf(word, ''));
  });
});
