import { afterAll } from 'vitest';
import { eventSourceConformance } from '../../intake/testing/conformance.ts';
import { ChangeBed } from './testing/bed.ts';
import { hasCluster, startCluster } from './testing/cluster.ts';

if (hasCluster) {
  const cluster = await startCluster();
  afterAll(() => cluster.stop());
  eventSourceConformance('cdc', () => ChangeBed.make(cluster));
}
