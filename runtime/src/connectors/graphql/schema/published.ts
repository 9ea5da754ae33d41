import type { Values } from '@svc/protocol/schema';
import type { Published, PublishedFlow, PublishedProblem } from '../../../foundation/contracts/published.ts';
import { parseField } from '../operation.ts';
import { federationOf, type graphqlServer } from '../server/spec.ts';

/** The block of a server. */
export type Settings = Values<typeof graphqlServer.config>;

export function settingsOf({ config }: Published): Settings {
  return config as unknown as Settings;
}

/** The schema file; undefined: the schema is generated. */
export function pathOf(published: Published): string | undefined {
  const path = settingsOf(published).schema?.path;
  return path === '' ? undefined : path;
}

/** The federation that a server is part of; undefined: none. */
export function federationIn(published: Published): 1 | 2 | undefined {
  return federationOf(settingsOf(published).federation);
}

/** The type and the field that a flow resolves; undefined for one without a field. */
export function fieldOf({ operation }: PublishedFlow) {
  return operation === undefined ? undefined : parseField(operation);
}

/** Takes one problem. */
export type Tell = (problem: PublishedProblem) => void;
