import type { ProjectRule } from '@svc/protocol/model';
import { closest } from '@svc/protocol/text';
import { specsOf, titleOf } from '../../connectors/core/declaration.ts';
import { readBehaviour } from './mocks-rules.ts';
import { mocks } from './spec.ts';

/** `mocks` names connectors that can be asked, and settings that exist. */
export const checkMocks: ProjectRule = (project, report) => {
  const { connectors: listed } = project.one('mocks', mocks) ?? {};
  for (const { name, value, origin } of listed?.fields ?? []) {
    readBehaviour(value, (problem, help) => report('malformed-mock', `${name} of mocks ${problem}`, origin, { help }));
    const connector = project.connectors.get(name);
    if (connector === undefined) {
      const near = closest(name, project.connectors.keys());
      report('unknown-connector', `there is no connector named "${name}" to mock`, origin, {
        help: near ? `Did you mean "${near}"?` : `These exist: ${[...project.connectors.keys()].join(', ')}.`,
      });
    } else if (specsOf(connector).every(({ target, storage }) => target === undefined && !storage))
      report('not-a-target', `${titleOf(connector)} only takes messages: there is nothing to mock`, origin, {
        help: 'Remove it, or name a connector that flows ask.',
      });
  }
};
