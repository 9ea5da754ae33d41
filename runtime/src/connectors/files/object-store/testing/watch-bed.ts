import { configured } from '../../../../../../test/support/configured.ts';
import { connectorServices } from '../../../../../../test/support/connector-services.ts';
import type { EventConnector, SourceBed } from '../../../../intake/testing/conformance.ts';
import { create } from '../connector.ts';
import { objectStoreConnector } from '../spec.ts';
import { objectBed, writtenFor } from './bed.ts';

const inbox = { done: 'done', failed: 'failed' } as const;

/** A prefix of its own that is watched: every object until it was handled, or each change once. */
export async function watchBed(mode: 'inbox' | 'changes'): Promise<SourceBed> {
  const bed = await objectBed();
  const watch = mode === 'inbox' ? inbox : {};
  let count = 0;
  return {
    spec: objectStoreConnector,
    config: { watch },
    connector: ({ workers }) => {
      const written = {
        ...writtenFor(bed.bucket, bed.prefix),
        watch_interval: 20,
        watch: { ...watch, workers },
      };
      return create('objects', configured(objectStoreConnector.config, written), connectorServices()) as EventConnector;
    },
    binding: { flow: 'f', operation: undefined, words: {} },
    publish: async (bodies) => {
      for (const body of bodies) await bed.put(`${String(count++).padStart(6, '0')}.txt`, Buffer.from(body));
    },
    textOf: (input) => input['content'],
    cut: () => undefined,
    close: bed.close,
  };
}
