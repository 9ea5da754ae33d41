import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { BlockSpec } from '@svc/protocol/schema';
import { vocabulary } from '@svc/runtime/catalog';
import { describe, expect, test } from 'vitest';

const source = join(import.meta.dirname, '../../runtime/src');

/** Text of every file that is behaviour: not a spec, not a test, not the pages made from specs. */
const behaviour = readdirSync(source, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts') && !/(spec|\.test|catalog)\.ts$/.test(path) && !path.startsWith('reference'))
  .map((path) => ({ path, text: readFileSync(join(source, path), 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '') }));

/** Folders whose code may read the attributes of a connector: its own, and those that connectors share. */
const shared = [
  ...['net', 'identity', 'http', 'formats', 'connectors/operations', 'connectors/parameters', 'plan', 'flow'],
  // What every connector may say, for the health of the service.
  'service/generation',
];

/** Attribute paths of a block, nested blocks included: `pool.max`. */
function attributesOf(body: BlockSpec, path: readonly string[] = [], seen = new Set<BlockSpec>()): string[] {
  if (seen.has(body)) return [];
  seen.add(body);
  return [
    ...Object.keys(body.attributes).map((name) => [...path, name].join('.')),
    ...Object.entries(body.blocks).flatMap(([name, inner]) => attributesOf(inner, [...path, name], seen)),
  ];
}

/** Whether code names the attribute: as a property, in a destructuring, or as a text that indexes values. */
function isRead(attribute: string, folders: readonly string[]): boolean {
  const name = attribute.split('.').at(-1) as string;
  const reads = new RegExp(`(?:\\.|\\?\\.)${name}\\b|[{,]\\s*${name}\\b\\s*(?:[,}:=])|['"]${name}['"]`);
  return behaviour.some(({ path, text }) => folders.some((folder) => path.startsWith(folder)) && reads.test(text));
}

describe('R-01: every declared attribute is read by code', () => {
  test.each(vocabulary.connectors.map((spec) => [`${spec.type} ${spec.driver ?? ''}`.trim(), spec] as const))(
    'of connector %s',
    (_title, spec) => {
      const own = `connectors/${spec.type}`;
      expect(existsSync(join(source, own)), relative(source, own)).toBe(true);
      const declared = [
        ...attributesOf(spec.config),
        ...(spec.operation ? attributesOf(spec.operation, ['operation']) : []),
      ];
      expect(declared.filter((attribute) => !isRead(attribute, [own, ...shared]))).toEqual([]);
    },
  );

  test.each(Object.entries(vocabulary.blocks))('of block %s', (_word, spec) => {
    expect(attributesOf(spec).filter((attribute) => !isRead(attribute, ['']))).toEqual([]);
  });

  test('of profiles', () => {
    const declared = [...attributesOf(vocabulary.profiled), ...attributesOf(vocabulary.everyProfile)];
    expect(
      declared.filter((attribute) => !isRead(attribute, ['connectors/profile', 'plan', 'service/generation'])),
    ).toEqual([]);
  });
});
