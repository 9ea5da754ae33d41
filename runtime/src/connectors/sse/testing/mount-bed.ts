import type { HttpMount } from '../../../foundation/contracts/http.ts';
import { type MountBed, password } from '../../../platform/http/testing/mount-conformance.ts';
import type { SseConnector } from '../connector.ts';
import { SseBed } from './bed.ts';

/** One connector that keeps its streams, whose flows are bound again with each mount. */
export async function mountBed(): Promise<MountBed> {
  const bed = new SseBed();
  let connector: SseConnector | undefined;
  return {
    mount: async (services) => {
      connector ??= bed.connector({ auth: { type: 'basic', users: { ada: password } } }, services);
      const bound = bed.bind(connector, {});
      await bound.prepare();
      await connector.open(new AbortController().signal);
      bound.use();
      return bound.http as HttpMount;
    },
    requests: [],
    close: () => bed.close(),
  };
}
