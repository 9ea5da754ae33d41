export type { ConnectorDeclaration, Declaration, OperationDeclaration, Project } from './project.ts';
