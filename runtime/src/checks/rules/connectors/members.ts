import type { ConnectorDeclaration, ProjectRule } from '@svc/protocol/model';
import { originOf } from '@svc/protocol/schema';
import { flowsOf } from '../../../engine/flow/declarations.ts';

/** Two sources that a server takes for one and the same end each other again and again. */
export const checkMembers: ProjectRule = (project, report) => {
  const taken = new Map<string, ConnectorDeclaration>();
  const used = new Set(flowsOf(project).map(({ values }) => values.from?.connector));
  for (const connector of project.connectors.values()) {
    const member = used.has(connector.name) ? connector.spec?.source?.member?.(connector.values) : undefined;
    if (member === undefined) continue;
    const keys = member.servers.map((server) => `${server} ${member.name}`);
    const other = keys.map((key) => taken.get(key)).find((found) => found !== undefined);
    for (const key of keys) if (!taken.has(key)) taken.set(key, connector);
    if (other === undefined) continue;
    const at = placeOf(connector, member.at);
    const first = placeOf(other, member.at);
    report(
      'name-taken',
      `connector "${other.name}" is ${member.name} too: the server ends one when the other comes`,
      at,
      {
        help: `Write another \`${member.at.at(-1)}\`.`,
        related: [{ message: 'the other one is here', ...first }],
      },
    );
  }
};

function placeOf({ values, nameOrigin }: ConnectorDeclaration, path: readonly string[]) {
  const inner = path.slice(0, -1).reduce<unknown>((block, name) => (block as Record<string, unknown>)[name], values);
  return originOf(inner as never, path.at(-1) as never) ?? nameOrigin;
}
