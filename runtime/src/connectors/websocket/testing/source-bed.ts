import type { SourceBed } from '../../intake/testing/conformance.ts';
import { websocket } from '../spec.ts';
import { WebSocketBed } from './bed.ts';

/** Connectors that take messages of clients; each call of `publish` is a client of its own. */
export async function sourceBed(): Promise<SourceBed> {
  const bed = new WebSocketBed();
  return {
    spec: websocket,
    config: {},
    connector: (settings) => {
      const made = bed.connector(settings);
      const open = made.open.bind(made);
      // Clients come once the connector is open.
      made.open = async (signal) => {
        await open(signal);
        await bed.serve(bed.bind(made, {}));
      };
      return made;
    },
    binding: { flow: 'message', operation: 'message', words: {} },
    publish: async (bodies) => {
      const client = await bed.connect();
      client.send(...bodies.map((text) => ({ type: 'message', data: { text } })));
    },
    textOf: ({ text }) => text,
    cut: () => bed.cut(),
    close: () => bed.close(),
  };
}
