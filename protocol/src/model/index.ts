export { type Coerced, coerce } from './coerce.ts';
export { parseDuration, parseSize } from './duration.ts';
export { EvaluationError, evaluate } from './evaluate.ts';
export { configurationFunctions } from './functions.ts';
export type { ConfigurationHost } from './host.ts';
export { type ConfigurationFile, type LoadOptions, loadProject, type ProjectRule } from './load.ts';
export type { ConnectorDeclaration, Declaration, OperationDeclaration, Project } from './project.ts';
export { type Report, reportTo } from './report.ts';
