import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { folderWith as madeFolder } from '../../../../test/support/folder.ts';
import { program } from '../../../../test/support/service.ts';
import type { HostEventName, HostEvents } from '../../shared/services.ts';
import { createHost, type Host, type HostOptions } from '../create.ts';

export const templatesDirectory = join(import.meta.dirname, '..', '..', '..', 'templates');

/** A folder of its own with some files, removed after the test. Answers its resolved path. */
export function folderWith(files: Readonly<Record<string, string>> = {}): string {
  const directory = madeFolder(files);
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

type Emitted = { readonly [E in HostEventName]: { readonly event: E; readonly params: HostEvents[E] } }[HostEventName];

export interface Opened extends Host {
  readonly directory: string;
  readonly settingsDirectory: string;
  /** Everything that the host said so far. */
  readonly emitted: readonly Emitted[];
}

/** A host over a folder with these files, closed after the test. The service is the built program. */
export async function openHost(
  files: Readonly<Record<string, string>> = {},
  options: Partial<HostOptions> = {},
): Promise<Opened> {
  const directory = folderWith(files);
  const settingsDirectory = folderWith();
  const emitted: Emitted[] = [];
  const host = await createHost({
    program: { executable: process.execPath, args: [program] },
    environment: environment(),
    settingsDirectory,
    templatesDirectory,
    directory,
    emit: (event, params) => void emitted.push({ event, params } as Emitted),
    system: { chooseFolder: async () => undefined, openExternal: async () => undefined, saveAs: async () => false },
    ...options,
  });
  onTestFinished(() => host.close());
  return { ...host, directory, settingsDirectory, emitted };
}

/** The environment of this process without what would change how a service runs. */
export function environment(): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(SVC_|OTEL_|VITEST|NODE_ENV$|NODE_OPTIONS$|.*PORT$)/.test(name)),
  );
}
