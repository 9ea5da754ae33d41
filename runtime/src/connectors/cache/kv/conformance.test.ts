import { randomUUID } from 'node:crypto';
import { describe } from 'vitest';
import { configured } from '../../../../../test/support/configured.ts';
import { connectorServices } from '../../../../../test/support/connector-services.ts';
import { faultProxy } from '../../../../../test/support/proxy.ts';
import { targetConformance } from '../../testing/target-conformance.ts';
import { inspectionConformance } from '../testing/inspection-conformance.ts';
import { type StorageBed, type StorageConnector, storageConformance } from '../testing/storage-conformance.ts';
import { kvBed } from '../testing/target-beds.ts';
import { create } from './connector.ts';
import { kvCache } from './spec.ts';

const server = process.env['TEST_REDIS_URL'];

describe.skipIf(server === undefined)('cache/redis', () => {
  targetConformance('cache/redis', kvBed);
  const bed = async (): Promise<StorageBed> => {
    const { hostname, port } = new URL(server as string);
    const proxy = await faultProxy({ host: hostname, port: Number(port || 6379) });
    const prefix = `svc-test:*[${randomUUID()}]`;
    const make = (url: string, log = connectorServices().log) =>
      create('c', configured(kvCache.config, { url, prefix, timeout: 5_000 }), connectorServices({ log }));
    return {
      client: (log) => make(`redis://127.0.0.1:${proxy.port}`, log) as StorageConnector,
      proxy,
      close: async () => {
        const cleaner = make(server as string);
        await cleaner.open(new AbortController().signal);
        await cleaner.storage?.deleteMatching('*');
        await cleaner.close();
        await proxy.close();
      },
    };
  };
  storageConformance('cache/redis', bed);
  inspectionConformance('cache/redis', bed);
});
