import type { ConnectorDeclaration, ProjectRule } from '@svc/protocol/model';
import { originOf } from '@svc/protocol/schema';

/** What connectors warn of: values that work, and may cost their author something. */
export const checkAdvised: ProjectRule = (project, report) => {
  const check = ({ spec, values }: ConnectorDeclaration) => {
    const advice = spec?.advise?.(values);
    if (advice === undefined) return;
    const { attribute, says, help } = advice;
    report('risky-value', says, originOf(values, attribute), { severity: 'warning', help });
  };
  for (const connector of project.connectors.values()) {
    check(connector);
    for (const profile of connector.profiles.values()) check(profile);
  }
};
