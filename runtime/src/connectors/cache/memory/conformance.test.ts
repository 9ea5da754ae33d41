import { configured } from '../../../../../test/support/configured.ts';
import { connectorServices } from '../../../../../test/support/connector-services.ts';
import { clockBy } from '../../../service/running/testing/manual-clock.ts';
import { targetConformance } from '../../testing/target-conformance.ts';
import { inspectionConformance } from '../testing/inspection-conformance.ts';
import { type StorageBed, type StorageConnector, storageConformance } from '../testing/storage-conformance.ts';
import { memoryBed } from '../testing/target-beds.ts';
import { create } from './connector.ts';
import { memoryCache } from './spec.ts';

const bed = async (): Promise<StorageBed> => {
  let time = 0;
  const clock = clockBy(() => time);
  const cache = create('c', configured(memoryCache.config, {}), connectorServices({ clock }));
  return {
    client: () => cache as StorageConnector,
    pass: (milliseconds) => {
      time += milliseconds;
    },
    close: () => cache.close(),
  };
};

storageConformance('cache/memory', bed);
inspectionConformance('cache/memory', bed);

targetConformance('cache/memory', memoryBed);
