import type { ProjectRule } from '@svc/protocol/model';
import { originOf } from '@svc/protocol/schema';
import { checkPattern } from '../flow/stages/validate/pattern-rules.ts';
import { validator } from '../flow/stages/validate/spec.ts';

/** Patterns of validators compile (supplement 2.6). */
export const checkPatterns: ProjectRule = (project, report) => {
  for (const { values } of project.all('validator', validator))
    checkPattern(values.pattern, originOf(values, 'pattern'), report);
};
