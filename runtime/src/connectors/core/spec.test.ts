import { expect, test } from 'vitest';
import { configured } from '../../../../test/support/configured.ts';
import { connectorServices } from '../../../../test/support/connector-services.ts';
import { vocabulary } from '../../checks/vocabulary.ts';
import { connectors } from '../catalog.ts';
import { loadFactory } from '../registry.ts';
import { everyConnector } from './spec.ts';

test('every connector says whether the service is ready without it', () => {
  const bodies = [...vocabulary.connectors.map(({ config }) => config), vocabulary.profiled];
  for (const { attributes, doc } of bodies)
    expect([doc, attributes['health']]).toEqual([doc, everyConnector.attributes.health]);
});

test('a connector whose source runs in one worker is not a storage, and is a target in the others too', async () => {
  const placed = vocabulary.connectors.filter(({ source }) => source?.placement === 'one-worker');
  expect(placed.map(({ type }) => type)).toContain('mqtt');
  for (const spec of placed) {
    expect([spec.canonical, spec.storage]).toEqual([spec.canonical, false]);
    if (spec.target === undefined) continue;
    const create = await loadFactory(spec);
    // What must be written of some of them.
    const written = { endpoint: 'http://localhost:1/' };
    const own = Object.hasOwn(spec.config.attributes, 'endpoint') ? written : {};
    const { openTarget, closeSource } = create('placed', configured(spec.config, own), connectorServices());
    expect([spec.canonical, typeof openTarget, typeof closeSource]).toEqual([spec.canonical, 'function', 'function']);
  }
});

test.each(Object.entries(connectors))('the code of %s is in its folder', async (_folder, spec) => {
  expect(await loadFactory(spec)).toBeTypeOf('function');
});
