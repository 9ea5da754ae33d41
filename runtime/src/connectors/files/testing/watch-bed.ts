import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { configured } from '../../../../../test/support/configured.ts';
import { connectorServices } from '../../../../../test/support/connector-services.ts';
import type { FaultProxy } from '../../../../../test/support/proxy.ts';
import type { EventConnector, SourceBed } from '../../intake/testing/conformance.ts';
import { create } from '../local/connector.ts';
import { file } from '../local/spec.ts';
import { localBed } from './local-bed.ts';

const inbox = { done: 'done', failed: 'failed' } as const;

/** A folder of its own at a store, for files that are watched. */
export interface WatchedFolder {
  readonly spec: SourceBed['spec'];
  /** Makes a connector that is not open, with these attributes over those of the folder. */
  connector(written: Readonly<Record<string, unknown>>): EventConnector;
  /** Puts a file there at once, as another program does. */
  put(name: string, text: string): Promise<void>;
  readonly proxy?: FaultProxy;
  close(): Promise<void>;
}

/** The event source of a folder: every file until it was handled, or each change once. */
export async function watchBedOf(making: Promise<WatchedFolder>, mode: 'inbox' | 'changes'): Promise<SourceBed> {
  const folder = await making;
  let count = 0;
  const watch = mode === 'inbox' ? inbox : {};
  return {
    spec: folder.spec,
    config: { watch },
    connector: ({ workers }) => folder.connector({ watch_interval: 10, watch: { ...watch, workers } }),
    binding: { flow: 'f', operation: undefined, words: {} },
    publish: async (bodies) => {
      for (const body of bodies) await folder.put(`${String(count++).padStart(6, '0')}.txt`, body);
    },
    textOf: (input) => input['content'],
    ...(folder.proxy && { proxy: folder.proxy }),
    close: () => folder.close(),
  };
}

/** A folder of this machine. */
export async function localFolder(): Promise<WatchedFolder> {
  const bed = await localBed();
  return {
    spec: file,
    connector: (written) =>
      create(
        'files',
        configured(file.config, { base_path: bed.folder, ...written }),
        connectorServices(),
      ) as EventConnector,
    put: async (name, text) => {
      await writeFile(join(bed.folder, `.${name}`), text);
      await rename(join(bed.folder, `.${name}`), join(bed.folder, name));
    },
    close: bed.close,
  };
}
