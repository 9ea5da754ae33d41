import type { ProjectRule } from '@svc/protocol/model';
import { isWritten } from '@svc/protocol/schema';
import { publishChecks } from '../../../connectors/catalog.ts';
import { flowsOf } from '../../../engine/flow/declarations.ts';
import { originOfPlace, publishedOf } from '../../../engine/plan/published.ts';

/** What connectors publish of types and flows can be published. */
export const checkPublished: ProjectRule = (project, report) => {
  const publishing = new Set<string>();
  // Several connectors find the same of one type.
  const reported = new Set<string>();
  for (const { connector, published } of publishedOf(project)) {
    if (connector.spec?.source?.typed !== true) continue;
    publishing.add(published.connector);
    for (const { code, message, at, ...details } of publishChecks.get(connector.spec as never)?.(published) ?? []) {
      const origin = originOfPlace(at, project, connector);
      const key = `${code} ${message} ${origin.file} ${origin.range.start}`;
      if (!reported.has(key)) report(code, message, origin, details);
      reported.add(key);
    }
  }
  for (const { name, nameOrigin, values } of flowsOf(project))
    if (isWritten(values, 'entity') && !publishing.has(values.from?.connector ?? ''))
      report(
        'inert-attribute',
        `flow "${name}" resolves references of "${values.entity}", and no connector asks it for them`,
        nameOrigin,
        { help: 'Begin the flow from a connector that publishes types to a federation, or remove entity.' },
      );
};
