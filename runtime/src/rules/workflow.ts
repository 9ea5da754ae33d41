import type { ProjectRule } from '@svc/protocol/model';
import { originOf } from '@svc/protocol/schema';
import { service } from '../service/spec.ts';
import { titleOf } from './flow-places.ts';
import { checkAuth } from './server-access.ts';

/** Workflows are kept where a transaction holds, and nobody reaches them without a credential (document 1; S-08). */
export const checkWorkflow: ProjectRule = (project, report) => {
  const workflow = project.one('service', service)?.workflow;
  if (workflow === undefined) return;
  const storage = project.connectors.get(workflow.storage);
  if (storage !== undefined && (storage.spec?.type !== 'database' || storage.spec.target?.transactions !== true))
    report(
      'not-relational',
      `${titleOf(storage)} is no relational database, so it cannot keep workflows`,
      originOf(workflow, 'storage'),
      { help: 'Name a connector with type = "database" and driver = "sqlite" or "postgres".' },
    );
  const auth = workflow.api?.auth;
  // A block that is missing was refused already.
  if (auth !== undefined) checkAuth({ ...auth, public: undefined }, 'workflow.api', project, report);
};
