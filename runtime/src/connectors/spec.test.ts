import { expect, test } from 'vitest';
import { vocabulary } from '../catalog.ts';
import { everyConnector } from './spec.ts';

test('every connector says whether the service is ready without it', () => {
  const bodies = [...vocabulary.connectors.map(({ config }) => config), vocabulary.profiled];
  for (const { attributes, doc } of bodies)
    expect([doc, attributes['health']]).toEqual([doc, everyConnector.attributes.health]);
});
