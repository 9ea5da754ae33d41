import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { added } from '../testing/added-openapi.ts';

/** Descriptions that others published (`@readme/oas-examples`, MIT). */
const published = dirname(createRequire(import.meta.url).resolve('@readme/oas-examples/package.json'));

describe('published descriptions become configurations that are valid and in the canonical layout', () => {
  const found = ['3.0/json', '3.1/json', '3.0/yaml', '3.1/yaml'].flatMap((folder) =>
    readdirSync(join(published, folder))
      .filter((name) => /\.(?:json|yaml)$/.test(name))
      .filter((name) => folder.endsWith('json') || /petstore|train|star/.test(name))
      .map((name) => `${folder}/${name}`),
  );
  test.each(found)('%s', async (path) => {
    const text = readFileSync(join(published, path));
    for (const words of [[], ['--client']]) {
      const { status, checks } = await added({ 'shop.txt': text }, words);
      expect([status, ...checks]).toEqual([0, 0, 0]);
    }
  });

  test('those of version 2 are refused', async () => {
    const text = readFileSync(join(published, '2.0/json/petstore.json'));
    const { status, error } = await added({ 'shop.json': text });
    expect([status, error]).toEqual([1, expect.stringContaining('swagger2openapi')]);
  });
});
