import type { Reader } from './wire.ts';

/** Requests by name, with their key and the one version that is answered. */
export const apis = {
  produce: { key: 0, version: 3 },
  fetch: { key: 1, version: 4 },
  listOffsets: { key: 2, version: 1 },
  metadata: { key: 3, version: 4 },
  offsetCommit: { key: 8, version: 2 },
  offsetFetch: { key: 9, version: 1 },
  findCoordinator: { key: 10, version: 1 },
  joinGroup: { key: 11, version: 5 },
  heartbeat: { key: 12, version: 3 },
  leaveGroup: { key: 13, version: 3 },
  syncGroup: { key: 14, version: 3 },
  describeGroups: { key: 15, version: 0 },
  saslHandshake: { key: 17, version: 1 },
  apiVersions: { key: 18, version: 0 },
  createTopics: { key: 19, version: 2 },
  initProducerId: { key: 22, version: 1 },
  describeConfigs: { key: 32, version: 0 },
  saslAuthenticate: { key: 36, version: 0 },
} as const;

export type ApiName = keyof typeof apis;

/** Every partition of topics that a request lists. */
export const partitionsOf = <T>(body: Reader, read: (partition: number) => T) =>
  body.list(() => ({ topic: body.text(), partitions: body.list(() => read(body.int32())) ?? [] })) ?? [];
