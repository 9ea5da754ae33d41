import type { ProjectRule } from '@svc/protocol/model';
import { decodeTypes } from './type-rules.ts';

/** Fields of types: unknown types, constraints and validators, and constraints of the wrong kind. */
export const checkTypes: ProjectRule = (project, report) => {
  decodeTypes(project, report);
};
