import type { ProjectRule } from '@svc/protocol/model';
import { isWritten, originOf } from '@svc/protocol/schema';
import { checkProfiles as profileProblems } from '../../../connectors/profile/rules.ts';
import { flowsOf } from '../../../engine/flow/declarations.ts';

const writing = /^(INSERT|UPSERT|UPDATE|DELETE|POST|PUT|PATCH)\b/i;

/** Profiles that are named exist; a write that falls over may happen twice, which its author should know. */
export const checkProfiles: ProjectRule = (project, report) => {
  for (const connector of project.connectors.values()) {
    if (connector.spec) continue;
    for (const { code, message, file, range, help } of profileProblems(connector))
      report(code, message, { file, range }, { help });
    for (const profile of connector.profiles.values())
      if (isWritten(profile.values, 'health'))
        report(
          'misplaced-health',
          `profile "${profile.name}" has no health of its own: connector "${connector.name}" is what the service watches`,
          originOf(profile.values, 'health'),
          { help: `Write health into connector "${connector.name}".` },
        );
    const fallback = 'fallback' in connector.values && Array.isArray(connector.values.fallback);
    if (!fallback) continue;
    for (const { name, values } of flowsOf(project)) {
      const writes = values.to.some((to) => {
        if (to.connector !== connector.name) return false;
        return writing.test(to.operation ?? values.from?.operation ?? '');
      });
      if (writes)
        report(
          'repeated-write',
          `flow "${name}" writes to profiles that fall over: a write without an answer is repeated on the next one`,
          originOf(connector.values, 'fallback'),
          {
            severity: 'warning',
            help: 'Make the write idempotent, or use a connector without fallback for it.',
          },
        );
    }
  }
};
