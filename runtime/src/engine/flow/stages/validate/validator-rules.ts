import type { ProjectRule } from '@svc/protocol/model';
import { originOf } from '@svc/protocol/schema';
import { checkPattern } from './pattern-rules.ts';
import { validator } from './spec.ts';

/** Patterns of validators compile. */
export const checkPatterns: ProjectRule = (project, report) => {
  for (const { values } of project.all('validator', validator))
    checkPattern(values.pattern, originOf(values, 'pattern'), report);
};
