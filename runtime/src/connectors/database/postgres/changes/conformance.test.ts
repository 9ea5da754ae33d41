import { afterAll, describe } from 'vitest';
import { eventSourceConformance } from '../../../intake/testing/conformance.ts';
import { ChangeBed } from './testing/bed.ts';
import { type Cluster, hasCluster, startCluster } from './testing/cluster.ts';

describe.skipIf(!hasCluster)('changes of tables', async () => {
  const cluster = hasCluster ? await startCluster() : undefined;
  afterAll(() => cluster?.stop());
  eventSourceConformance('cdc', () => ChangeBed.make(cluster as Cluster));
});
