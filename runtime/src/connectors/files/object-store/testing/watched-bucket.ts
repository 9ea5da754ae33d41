import { connectorServices } from '../../../../../../test/support/connector-services.ts';
import { faultProxy } from '../../../../../../test/support/proxy.ts';
import type { EventConnector } from '../../../intake/testing/conformance.ts';
import type { WatchedFolder } from '../../testing/watch-bed.ts';
import { objectStoreConnector } from '../spec.ts';
import { connectorOf } from './bed.ts';
import { KeptObjects } from './kept-objects.ts';
import { writtenFor } from './opened.ts';
import { StandIn } from './stand-in.ts';

/** A prefix of a bucket that a stand-in keeps; its lists have many pages. */
export async function watchedBucket(): Promise<WatchedFolder> {
  const server = await StandIn.start();
  const objects = new KeptObjects(7);
  server.answer = objects.answer;
  const proxy = await faultProxy({ port: server.port });
  const reached = { endpoint: `http://127.0.0.1:${proxy.port}`, prefix: 'in/', request_timeout: 2_000 };
  return {
    spec: objectStoreConnector,
    connector: (written) =>
      connectorOf({ ...writtenFor(server), ...reached, ...written }, connectorServices()) as EventConnector,
    put: async (name, text) => objects.put(`in/${name}`, text),
    proxy,
    close: async () => {
      await proxy.close();
      await server.close();
    },
  };
}
