import type { ProjectRule } from '@svc/protocol/model';
import { checkStepUp } from '../engine/auth/factors/rules.ts';
import { checkSignIn } from '../engine/auth/rules.ts';
import { everyFlow } from '../engine/flow/every-flow.ts';
import { checkAsync } from '../engine/flow/stages/async/rules.ts';
import { checkCacheKeys } from '../engine/flow/stages/cache/rules.ts';
import { checkDedupe, checkDedupeDefinitions } from '../engine/flow/stages/dedupe/rules.ts';
import { checkEnrichments } from '../engine/flow/stages/enrich/rules.ts';
import { checkErrorHandling } from '../engine/flow/stages/error-handling/rules.ts';
import { checkRequirements } from '../engine/flow/stages/require/rules.ts';
import { checkAnswers } from '../engine/flow/stages/response/rules.ts';
import { checkSecurity } from '../engine/flow/stages/sanitize/rules.ts';
import { checkStateMachines } from '../engine/flow/stages/state-transition/rules.ts';
import { checkTypes } from '../engine/flow/stages/validate/rules.ts';
import { checkPatterns } from '../engine/flow/stages/validate/validator-rules.ts';
import { checkMocks } from '../engine/mocks/rules.ts';
import { checkPlugins } from '../engine/plugins/rules.ts';
import { checkService } from '../engine/settings/rules.ts';
import { checkAspectCaches } from './rules/aspects/aspect-caches.ts';
import { checkAspectCalls } from './rules/aspects/aspect-calls.ts';
import { checkAspects } from './rules/aspects/aspects.ts';
import { checkAdvised } from './rules/connectors/advised.ts';
import { checkBeside } from './rules/connectors/beside.ts';
import { checkClientAuthentication } from './rules/connectors/client-authentication.ts';
import { checkMembers } from './rules/connectors/members.ts';
import { checkNamedOperations } from './rules/connectors/named-operations.ts';
import { checkOwnRoutes } from './rules/connectors/own-routes.ts';
import { checkPorts } from './rules/connectors/ports.ts';
import { checkProfileWords } from './rules/connectors/profile-words.ts';
import { checkProfiles } from './rules/connectors/profiles.ts';
import { checkPublished } from './rules/connectors/published.ts';
import { checkReaders } from './rules/connectors/readers.ts';
import { checkRoutes } from './rules/connectors/routes.ts';
import { checkServerAccess } from './rules/connectors/server-access.ts';
import { checkBatches, checkBatchSources } from './rules/flows/batches.ts';
import { checkCacheIdentity } from './rules/flows/cache-identity.ts';
import { checkConstants } from './rules/flows/constants.ts';
import { checkInert } from './rules/flows/inert.ts';
import { checkOperationParameters } from './rules/flows/operation-parameters.ts';
import { checkPolicies } from './rules/flows/policies.ts';
import { checkReturns } from './rules/flows/returns.ts';
import { checkRowAddresses } from './rules/flows/row-addresses.ts';
import { checkSagaActions, checkSagas } from './rules/flows/sagas.ts';
import { checkSchedules } from './rules/flows/schedules.ts';
import { checkSources } from './rules/flows/sources.ts';
import { checkStatements } from './rules/flows/statements.ts';
import { checkSynchronisation } from './rules/flows/synchronisation.ts';
import { checkTargetAttributes } from './rules/flows/target-attributes.ts';
import { checkTargets } from './rules/flows/targets.ts';
import { checkTransactions } from './rules/flows/transactions.ts';
import { checkTriggers } from './rules/flows/triggers.ts';
import { checkWholeWork } from './rules/flows/whole-work.ts';
import { checkWrittenCalls } from './rules/flows/written-calls.ts';
import { checkNames, checkResultNames } from './rules/names.ts';
import { checkReadability } from './rules/readability.ts';
import { checkUnused } from './rules/unused.ts';
import { checkUpserts } from './rules/upserts.ts';
import { checkWorkflow } from './rules/workflow.ts';
import { checkTests } from './tests/rules.ts';

/** Everything that is checked across blocks, before any expression is compiled. */
export const projectRules: readonly ProjectRule[] = [
  everyFlow([
    checkSources,
    checkSchedules,
    checkTargets,
    checkOperationParameters,
    checkWrittenCalls,
    checkAnswers,
    checkAsync,
    checkCacheKeys,
    checkCacheIdentity,
    checkDedupe,
    checkRowAddresses,
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
    checkBatchSources,
    checkBatches,
    checkWholeWork,
    checkSagaActions,
  ]),
  checkAspects,
  checkAspectCalls,
  checkAspectCaches,
  checkUpserts,
  checkDedupeDefinitions,
  checkRoutes,
  checkOwnRoutes,
  checkPorts,
  checkBeside,
  checkMembers,
  checkClientAuthentication,
  checkReaders,
  checkServerAccess,
  checkProfiles,
  checkProfileWords,
  checkNames,
  checkNamedOperations,
  checkAdvised,
  checkPatterns,
  checkPlugins,
  checkRequirements,
  checkStepUp,
  checkSagas,
  checkReturns,
  checkPublished,
  checkSecurity,
  checkService,
  checkSignIn,
  checkStateMachines,
  checkTriggers,
  checkTypes,
  checkMocks,
  checkTests,
  checkUnused,
  checkWorkflow,
  checkReadability,
];
