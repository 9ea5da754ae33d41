import type { ConnectorDeclaration, ProjectRule } from '@svc/protocol/model';
import { originOf } from '@svc/protocol/schema';

/** What connectors say of values: those that work, and may cost their author something, and those that cannot work. */
export const checkAdvised: ProjectRule = (project, report) => {
  const check = ({ spec, values }: ConnectorDeclaration) => {
    const advice = spec?.advise?.(values);
    if (advice === undefined) return;
    const { attribute, says, help, refuses } = advice;
    const at = originOf(values, attribute);
    if (refuses) report('invalid-value', says, at, { help });
    else report('risky-value', says, at, { severity: 'warning', help });
  };
  for (const connector of project.connectors.values()) {
    check(connector);
    for (const profile of connector.profiles.values()) check(profile);
  }
};
