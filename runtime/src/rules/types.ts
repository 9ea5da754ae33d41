import type { ProjectRule } from '@svc/protocol/model';
import { decodeTypes } from '../flow/stages/validate/type-rules.ts';

/** Fields of types have a known type and constraints that fit it (supplement 2.5). */
export const checkTypes: ProjectRule = (project, report) => void decodeTypes(project, report);
