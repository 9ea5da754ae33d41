import type { ConnectorSpec } from '@svc/protocol/schema';
import type { Factory } from '../foundation/contracts/connector.ts';
import type { FileCheck } from '../foundation/contracts/published.ts';
import { connectors } from './catalog.ts';

/** Loads the code of a connector, and of no other one. Rejects only when a part of the program itself is missing. */
export async function loadFactory(spec: ConnectorSpec): Promise<Factory<ConnectorSpec>> {
  // Vite, which runs the tests, would find folders one level deep only; the bundler finds all.
  const { create } = (await import(/* @vite-ignore */ `./${folderOf(spec)}/connector.ts`)) as {
    readonly create: Factory<ConnectorSpec>;
  };
  return create;
}

/** Loads what checks the files that blocks of a connector name; its spec says that there is such a check. */
export async function loadFileCheck(spec: ConnectorSpec): Promise<FileCheck> {
  const { checkFiles } = (await import(/* @vite-ignore */ `./${folderOf(spec)}/file-checks.ts`)) as {
    readonly checkFiles: FileCheck;
  };
  return checkFiles;
}

function folderOf(spec: ConnectorSpec): string {
  const folder = Object.entries(connectors).find(([, candidate]) => candidate === spec)?.[0];
  if (folder === undefined) throw new Error(`connector type "${spec.type}" is not in the catalogue`);
  return folder;
}
