import { expect, test } from 'vitest';
import { connectors, vocabulary } from '../catalog.ts';
import { loadFactory } from './registry.ts';
import { everyConnector } from './spec.ts';

test('every connector says whether the service is ready without it', () => {
  const bodies = [...vocabulary.connectors.map(({ config }) => config), vocabulary.profiled];
  for (const { attributes, doc } of bodies)
    expect([doc, attributes['health']]).toEqual([doc, everyConnector.attributes.health]);
});

test('a connector that runs in one worker is open there alone, so that it is neither target nor storage', () => {
  const placed = vocabulary.connectors.filter(({ source }) => source?.placement === 'one-worker');
  expect(placed.map(({ type }) => type)).toContain('mqtt');
  expect(placed.filter(({ target, storage }) => target !== undefined || storage)).toEqual([]);
});

test.each(Object.entries(connectors))('the code of %s is in its folder', async (_folder, spec) => {
  expect(await loadFactory(spec)).toBeTypeOf('function');
});
