import type { EventConnector, SourceBed } from '../../intake/testing/conformance.ts';
import { sse } from '../spec.ts';
import { SseBed } from './bed.ts';

/** Connectors that take what happens to streams; each text is the parameter of a stream of its own. */
export async function sourceBed(): Promise<SourceBed> {
  const bed = new SseBed();
  return {
    spec: sse,
    config: {},
    connector: (settings) => {
      const made = bed.connector(settings);
      const open = made.open.bind(made);
      // Clients come once the connector is open.
      made.open = async (signal) => {
        await open(signal);
        await bed.serve(bed.bind(made, {}));
      };
      // No debugger holds it back; what is behind it can be held back all the same.
      return Object.assign(made, { source: { ...made.source, events: made.events } }) as EventConnector;
    },
    binding: { flow: 'connect', operation: 'connect', words: {} },
    publish: async (bodies) => {
      for (const text of bodies) await bed.connect(`?text=${encodeURIComponent(text)}`);
    },
    textOf: ({ text }) => text,
    cut: () => bed.cut(),
    close: () => bed.close(),
  };
}
