import type { ProjectRule } from '@svc/protocol/model';
import { originOf } from '@svc/protocol/schema';
import { titleOf } from '../../connectors/core/declaration.ts';
import { dialectOf, relationalDrivers } from '../../connectors/database/engines.ts';
import { service } from '../../engine/settings/spec.ts';
import { checkAuth } from './connectors/server-access.ts';

const drivers = relationalDrivers.map((driver) => `"${driver}"`).join(' or ');

/**
 * Workflows are kept where a transaction holds, and no client reaches them without a credential
 * (docs/specification/workflows.md#workflows).
 */
export const checkWorkflow: ProjectRule = (project, report) => {
  const workflow = project.one('service', service)?.workflow;
  if (workflow === undefined) return;
  const storage = project.connectors.get(workflow.storage);
  if (storage !== undefined && dialectOf(storage.spec) === undefined)
    report(
      'not-relational',
      `${titleOf(storage)} is not a relational database, so it cannot keep workflows`,
      originOf(workflow, 'storage'),
      { help: `Name a relational database: a connector with driver = ${drivers}.` },
    );
  const auth = workflow.api?.auth;
  // A block that is missing was refused already.
  if (auth !== undefined) checkAuth({ ...auth, public: undefined }, 'workflow.api', project, report);
};
