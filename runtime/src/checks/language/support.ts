import { type CelEngine, functionDocumentation } from '@svc/protocol/cel';
import type { LanguageSupport } from '@svc/protocol/language';
import type { ConfigurationHost } from '@svc/protocol/model';
import { resolveOperation } from '../../connectors/core/operations.ts';
import { variablesOf } from '../../engine/flow/scope.ts';
import { expressionCheck } from '../../engine/plan/diagnostics.ts';
import { functionTexts } from '../../engine/plugins/functions.ts';
import { withPlugins } from '../../engine/plugins/vocabulary.ts';
import { projectRules } from '../project-rules.ts';
import { workerRules } from '../rules/deployment/workers.ts';
import { vocabulary } from '../vocabulary.ts';
import { outlineSupport } from './outline.ts';
import { parametersAsked } from './parameters.ts';
import { flowStops } from './stops.ts';

/** Everything that the language service must know about this language: the same as `svc validate` checks with. */
export function languageSupport(host: ConfigurationHost, engine: CelEngine, workers = 1): LanguageSupport {
  return {
    vocabulary,
    host,
    expressionFunctions: functionDocumentation.map(({ name }) => name),
    extend: withPlugins,
    functions: functionTexts,
    rules: [...projectRules, ...workerRules(workers)],
    expressions: expressionCheck(engine),
    variables: variablesOf,
    operation: (connector, name) => {
      const found = resolveOperation(connector, name);
      return found && (found.operation ?? found.query ?? found.target);
    },
    parameters: parametersAsked,
    typeOf: (source, variables) => {
      const compiled = engine.compile(source, { variables });
      return compiled.ok ? compiled.program.type : undefined;
    },
    stops: flowStops,
    outline: outlineSupport,
  };
}
