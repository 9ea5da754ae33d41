import type { Project, ProjectRule, Report } from '@svc/protocol/model';
import { isWritten, originOf } from '@svc/protocol/schema';
import { flowsOf } from '../../../flow/declarations.ts';
import { type } from '../../../flow/stages/validate/spec.ts';
import { checkEntities } from './federation/rules.ts';
import { checkFieldFlows } from './flow-rules.ts';
import { type Served, serversOf } from './served-rules.ts';
import { checkTypeNames } from './type-name-rules.ts';

/** What servers of GraphQL publish: where the schema comes from, whether types can be published, fields of flows, entities. */
export const checkGraphqlSchemas: ProjectRule = (project, report) => {
  const servers = serversOf(project);
  refuseStrayEntities(project, servers, report);
  for (const server of servers) {
    checkPlace(server, project, report);
    checkFieldFlows(server, project, report);
  }
  if (servers.some(({ path }) => path === undefined)) checkTypeNames(project, report);
  checkEntities(project, servers, report);
};

/** The block `schema`: one of a file and types. */
function checkPlace({ connector, settings: { schema }, path, flows }: Served, project: Project, report: Report): void {
  if (path !== undefined && schema !== undefined) {
    const at = originOf(schema, 'path');
    if (schema.auto_generate === true)
      report('contradicting-schema', 'the schema is either in a file or generated', originOf(schema, 'auto_generate'), {
        help: 'Remove auto_generate, or remove path.',
      });
    if (isOutside(path))
      report('outside-directory', `the schema ${path} is outside the directory of the configuration`, at, {
        help: 'Move the file below the directory, and write its path from there, such as "schema.graphql".',
      });
    return;
  }
  if (schema?.auto_generate === false) {
    report('missing-schema', `connector "${connector.name}" has no schema`, originOf(schema, 'auto_generate'), {
      help: 'Write path = "schema.graphql", or remove auto_generate.',
    });
    return;
  }
  if (project.all('type', type).length > 0 || flows.length === 0) return;
  report('missing-schema', `connector "${connector.name}" has no schema: there is no type`, connector.nameOrigin, {
    help: 'Write a type block for what flows answer, or schema { path = "schema.graphql" }.',
  });
}

/** Whether a path leads out of the directory, as it is written. */
function isOutside(path: string): boolean {
  if (/^([/\\]|[A-Za-z]:)/.test(path)) return true;
  let depth = 0;
  for (const part of path.split(/[/\\]/)) {
    if (part === '..') depth--;
    else if (part !== '.' && part !== '') depth++;
    if (depth < 0) return true;
  }
  return false;
}

/** Only servers of this kind are asked by references. */
function refuseStrayEntities(project: Project, servers: readonly Served[], report: Report): void {
  const own = new Set(servers.flatMap(({ flows }) => flows.map(({ flow }) => flow)));
  for (const flow of flowsOf(project))
    if (isWritten(flow.values, 'entity') && !own.has(flow))
      report(
        'inert-attribute',
        `flow "${flow.name}" resolves references of "${flow.values.entity}", and no federation asks it`,
        originOf(flow.values, 'entity'),
        { help: 'Begin the flow from a connector of type "graphql", or remove entity.' },
      );
}
