export { type Coerced, coerce } from './coerce.ts';
export { isDamaged } from './consequences.ts';
export { parseDuration, parseSize } from './duration.ts';
export { evaluate, isReadable } from './evaluation/evaluate.ts';
export { configurationFunctions } from './evaluation/functions.ts';
export { EvaluationError } from './evaluation/scope.ts';
export type { ConfigurationHost } from './host.ts';
export {
  type ConfigurationFile,
  decodeProject,
  type Extend,
  type Extension,
  type LoadOptions,
  loadProject,
  type ProjectRule,
  specsOf,
} from './load.ts';
export { DecodeMemory } from './memory.ts';
export type { ConnectorDeclaration, Declaration, OperationDeclaration, Project } from './project.ts';
export { type Report, reportTo } from './report.ts';
export { expressionMark, hasHoles, isExpressionText, markedExpression } from './values.ts';
