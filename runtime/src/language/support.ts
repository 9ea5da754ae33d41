import { type CelEngine, functionDocumentation } from '@svc/protocol/cel';
import type { LanguageSupport } from '@svc/protocol/language';
import type { ConfigurationHost } from '@svc/protocol/model';
import { vocabulary } from '../catalog.ts';
import { workerRules } from '../cluster/worker-rules.ts';
import { variablesOf } from '../flow/scope.ts';
import { expressionCheck } from '../plan/diagnostics.ts';
import { projectRules } from '../rules/index.ts';
import { flowStops } from './stops.ts';

/** Everything that the language service must know about this language: the same as `svc validate` checks with. */
export function languageSupport(host: ConfigurationHost, engine: CelEngine, workers = 1): LanguageSupport {
  return {
    vocabulary,
    host,
    expressionFunctions: functionDocumentation.map(({ name }) => name),
    rules: [...projectRules, ...workerRules(workers)],
    expressions: expressionCheck(engine),
    variables: variablesOf,
    stops: flowStops,
  };
}
