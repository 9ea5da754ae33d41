import type { ProjectRule } from '@svc/protocol/model';
import { checkAnswers } from './answers.ts';
import { checkAspectCaches } from './aspect-caches.ts';
import { checkAspectCalls } from './aspect-calls.ts';
import { checkAspects } from './aspects.ts';
import { checkAsync } from './async.ts';
import { checkBatches } from './batches.ts';
import { checkCacheIdentity } from './cache-identity.ts';
import { checkCacheKeys } from './cache-keys.ts';
import { checkConstants } from './constants.ts';
import { checkDedupe, checkDedupeDefinitions } from './dedupe.ts';
import { checkDeletions } from './deletions.ts';
import { checkEnrichments } from './enrichments.ts';
import { checkErrorHandling } from './error-handling.ts';
import { everyFlow } from './every-flow.ts';
import { checkInert } from './inert.ts';
import { checkMocks } from './mocks.ts';
import { checkNamedOperations } from './named-operations.ts';
import { checkNames, checkResultNames } from './names.ts';
import { checkPatterns } from './patterns.ts';
import { checkPolicies } from './policies.ts';
import { checkPorts } from './ports.ts';
import { checkProfiles } from './profiles.ts';
import { checkReadability } from './readability.ts';
import { checkRequirements } from './requirements.ts';
import { checkReturns } from './returns.ts';
import { checkRoutes } from './routes.ts';
import { checkSagaActions, checkSagas } from './sagas.ts';
import { checkSchedules } from './schedules.ts';
import { checkSecurity } from './security.ts';
import { checkServerAccess } from './server-access.ts';
import { checkService } from './service.ts';
import { checkSources } from './sources.ts';
import { checkStateMachines } from './state-machines.ts';
import { checkStatements } from './statements.ts';
import { checkSynchronisation } from './synchronisation.ts';
import { checkTargetAttributes } from './target-attributes.ts';
import { checkTargets } from './targets.ts';
import { checkTests } from './tests.ts';
import { checkTransactions } from './transactions.ts';
import { checkTriggers } from './triggers.ts';
import { checkTypes } from './types.ts';
import { checkUnused } from './unused.ts';
import { checkWholeWork } from './whole-work.ts';
import { checkWorkflow } from './workflow.ts';

/** Everything that is checked across blocks, before any expression is compiled. */
export const projectRules: readonly ProjectRule[] = [
  everyFlow([
    checkSources,
    checkSchedules,
    checkTargets,
    checkAnswers,
    checkAsync,
    checkCacheKeys,
    checkCacheIdentity,
    checkDedupe,
    checkDeletions,
    checkConstants,
    checkErrorHandling,
    checkSynchronisation,
    checkPolicies,
    checkStatements,
    checkTransactions,
    checkInert,
    checkTargetAttributes,
    checkEnrichments,
    checkResultNames,
    checkBatches,
    checkWholeWork,
    checkSagaActions,
  ]),
  checkAspects,
  checkAspectCalls,
  checkAspectCaches,
  checkDedupeDefinitions,
  checkRoutes,
  checkPorts,
  checkServerAccess,
  checkProfiles,
  checkNames,
  checkNamedOperations,
  checkPatterns,
  checkRequirements,
  checkSagas,
  checkReturns,
  checkSecurity,
  checkService,
  checkStateMachines,
  checkTriggers,
  checkTypes,
  checkMocks,
  checkTests,
  checkUnused,
  checkWorkflow,
  checkReadability,
];
