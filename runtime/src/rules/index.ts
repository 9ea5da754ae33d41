import type { ProjectRule } from '@svc/protocol/model';
import { checkCacheIdentity } from './cache-identity.ts';
import { checkCacheKeys } from './cache-keys.ts';
import { checkInert } from './inert.ts';
import { checkPatterns } from './patterns.ts';
import { checkPorts } from './ports.ts';
import { checkProfiles } from './profiles.ts';
import { checkReadability } from './readability.ts';
import { checkRoutes } from './routes.ts';
import { checkServerAccess } from './server-access.ts';
import { checkSources } from './sources.ts';
import { checkTargets } from './targets.ts';
import { checkTypes } from './types.ts';
import { checkUnused } from './unused.ts';

/** Everything that is checked across blocks, before any expression is compiled. */
export const projectRules: readonly ProjectRule[] = [
  checkTypes,
  checkPatterns,
  checkSources,
  checkTargets,
  checkRoutes,
  checkPorts,
  checkServerAccess,
  checkProfiles,
  checkCacheKeys,
  checkCacheIdentity,
  checkInert,
  checkUnused,
  checkReadability,
];
