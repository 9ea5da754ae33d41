import type { Vocabulary } from '@svc/protocol/schema';
import { connectors } from '../connectors/catalog.ts';
import { profiled, profilePart } from '../connectors/profile/spec.ts';
import { auth } from '../engine/auth/spec.ts';
import { rootBlocks, unavailableRootBlocks } from '../engine/flow/root-spec.ts';
import { mocks } from '../engine/mocks/spec.ts';
import { pluginBlocks } from '../engine/plugins/spec.ts';
import { service } from '../engine/settings/spec.ts';
import { test } from './tests/spec.ts';

/** Everything that may be written in a configuration. Data alone: safe to import in a browser. */
export const vocabulary: Vocabulary = {
  blocks: { service, auth, ...rootBlocks, ...pluginBlocks, mocks, test },
  connectors: Object.values(connectors),
  profiled,
  everyProfile: profilePart,
  unavailable: {
    blocks: unavailableRootBlocks,
    connectors: [],
  },
};
