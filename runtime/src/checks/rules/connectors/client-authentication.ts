import type { ConnectorDeclaration, ProjectRule } from '@svc/protocol/model';
import { originOf } from '@svc/protocol/schema';
import { clientProblem } from '../../../platform/net/oauth/spec.ts';

/** Clients of OAuth whose proof cannot work as it is written: in the block of a connector, or in its `auth`. */
export const checkClientAuthentication: ProjectRule = (project, report) => {
  const check = ({ spec, values }: ConnectorDeclaration) => {
    for (const [body, written] of [
      [spec?.config, values],
      [spec?.config.blocks['auth'], values['auth']],
    ] as const) {
      if (body?.attributes['client_auth'] === undefined || typeof written !== 'object' || written === null) continue;
      const problem = clientProblem(written, values['tls']);
      if (problem === undefined) continue;
      report('invalid-value', problem.says, originOf(written, problem.attribute), { help: problem.help });
    }
  };
  for (const connector of project.connectors.values()) {
    check(connector);
    for (const profile of connector.profiles.values()) check(profile);
  }
};
