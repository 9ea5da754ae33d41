import type { ConnectorSpec } from '@svc/protocol/schema';
import { connectors } from '../catalog.ts';
import type { Factory } from '../contracts/connector.ts';

/** Loads the code of a connector, and of no other one. Rejects only when a part of the program itself is missing. */
export async function loadFactory(spec: ConnectorSpec): Promise<Factory<ConnectorSpec>> {
  const folder = Object.entries(connectors).find(([, candidate]) => candidate === spec)?.[0];
  if (folder === undefined) throw new Error(`connector type "${spec.type}" is not in the catalogue`);
  // Vite, which runs the tests, would find folders one level deep only; the bundler finds all.
  const { create } = (await import(/* @vite-ignore */ `./${folder}/connector.ts`)) as {
    readonly create: Factory<ConnectorSpec>;
  };
  return create;
}
