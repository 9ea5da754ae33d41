import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { configured } from '../../../../../test/support/configured.ts';
import { connectorServices } from '../../../../../test/support/connector-services.ts';
import type { EventConnector, SourceBed } from '../../../intake/testing/conformance.ts';
import { create } from '../local/connector.ts';
import { file } from '../local/spec.ts';
import { localBed } from './local-bed.ts';

const inbox = { done: 'done', failed: 'failed' } as const;

/** A folder of its own that is watched: every file until it was handled, or each change once. */
export async function watchBed(mode: 'inbox' | 'changes'): Promise<SourceBed> {
  const bed = await localBed();
  let count = 0;
  const watch = mode === 'inbox' ? inbox : {};
  return {
    spec: file,
    config: { watch },
    connector: ({ workers }) => {
      const written = { base_path: bed.folder, watch_interval: 10, watch: { ...watch, workers } };
      return create('files', configured(file.config, written), connectorServices()) as EventConnector;
    },
    binding: { flow: 'f', operation: undefined, words: {} },
    publish: async (bodies) => {
      for (const body of bodies) {
        const name = `${String(count++).padStart(6, '0')}.txt`;
        await writeFile(join(bed.folder, `.${name}`), body);
        await rename(join(bed.folder, `.${name}`), join(bed.folder, name));
      }
    },
    textOf: (input) => input['content'],
    close: bed.close,
  };
}
