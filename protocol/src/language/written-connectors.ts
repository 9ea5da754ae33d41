import type { ConnectorSpec } from '../schema/index.ts';

/** What the connectors of a service act by, as far as their blocks say it: one spec, or one for each profile. */
export type WrittenConnectors = ReadonlyMap<string, readonly ConnectorSpec[]>;
