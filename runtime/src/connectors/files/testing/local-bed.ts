import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { configured } from '../../../../../test/support/configured.ts';
import { folderWith } from '../../../../../test/support/folder.ts';
import type { TargetBed, TargetConnector } from '../../testing/target-conformance.ts';
import { create } from '../local/connector.ts';
import { file } from '../local/spec.ts';
import type { FilesBed } from './files-bed.ts';
import { ofPaths } from './naming-conformance.ts';
import { silentSender } from './silent-sender.ts';

/** A folder of its own. */
export async function localBed(): Promise<FilesBed & { readonly folder: string }> {
  const folder = folderWith();
  const at = (path: string) => join(folder, path);
  return {
    folder,
    connector: (written, services) =>
      create('files', configured(file.config, { base_path: folder, ...written }), services) as TargetConnector,
    written: (path, size) => ({ path, written: size }),
    named: 'path',
    bytesOf: (path) => readFile(at(path)),
    put: async (path, bytes) => {
      await mkdir(dirname(at(path)), { recursive: true });
      await writeFile(at(path), bytes);
    },
    names: async () => {
      const all = await readdir(folder, { recursive: true, withFileTypes: true });
      return all.map((each) => relative(folder, join(each.parentPath, each.name))).sort();
    },
    ...ofPaths,
    hasFolders: true,
    appends: true,
    close: () => rm(folder, { recursive: true }),
  };
}

/** The same for the suite of all targets. A write whose sender is silent is the call that waits. */
export async function localTargetBed(): Promise<TargetBed> {
  const bed = await localBed();
  return {
    spec: file,
    connector: (services) => bed.connector({}, services),
    call: { verb: 'create', operation: 'write', target: 'echo.txt' },
    echo: async (execute, text) => {
      const path = `${Buffer.from(text).toString('hex').slice(0, 100)}-${text.length}.txt`;
      await execute({ params: { path, content: text } });
      return (await bed.bytesOf(path)).toString();
    },
    stuck: silentSender(),
    malformed: ['find', 'presign_get', 'GET /a'],
    secrets: [],
    close: bed.close,
  };
}
