import type { ProjectRule } from '@svc/protocol/model';
import { flowsOf } from './flow-places.ts';

/** A status that is spelt out is one that an answer can have. */
export const checkAnswers: ProjectRule = (project, report) => {
  for (const { values } of flowsOf(project)) {
    const status = values.response?.http_status_code;
    const digits = /^\s*(['"]?)(-?\d+)\1\s*$/.exec(status?.source ?? '')?.[2];
    if (!status || digits === undefined || (Number(digits) >= 200 && Number(digits) <= 599)) continue;
    report('out-of-bounds', `no answer has the status ${digits}`, status.origin, {
      help: 'Write a status from 200 to 599.',
    });
  }
};
