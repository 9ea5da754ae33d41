import type { ConnectorDeclaration, ProjectRule, Report } from '@svc/protocol/model';
import { originOf, type WrittenWords } from '@svc/protocol/schema';
import { specsOf } from '../../connectors/core/declaration.ts';
import { dialectOf } from '../../connectors/database/engines.ts';
import { resolveAction } from '../../engine/flow/aspects/action-target.ts';
import { aspect } from '../../engine/flow/aspects/spec.ts';
import { isUpsert } from '../../engine/flow/compile/repeatable.ts';
import { flowsOf } from '../../engine/flow/declarations.ts';
import { targetPlaces } from '../../engine/flow/flow-places.ts';

/** An upsert says by which columns it finds a row, and nothing else does. */
export const checkUpserts: ProjectRule = (project, report) => {
  for (const flow of flowsOf(project))
    for (const { kind, values } of targetPlaces(flow))
      if (kind !== 'enrich') checkPlace(values, project.connectors.get(values.connector), values.operation, report);
  for (const { values } of project.all('aspect', aspect)) {
    const { action } = values;
    if (action?.connector === undefined) continue;
    const { operation } = resolveAction(action, { operation: () => undefined });
    checkPlace(action, project.connectors.get(action.connector), operation, report);
  }
};

type Place = Parameters<typeof originOf>[0] & { readonly words: WrittenWords; readonly query?: string | undefined };

function checkPlace(
  place: Place,
  connector: ConnectorDeclaration | undefined,
  operation: string | undefined,
  report: Report,
): void {
  if (connector === undefined || !specsOf(connector).some((spec) => dialectOf(spec) !== undefined)) return;
  const { conflict } = place.words.fixed;
  const upserts = place.query === undefined && isUpsert({ operation, query: undefined });
  if (upserts && conflict === undefined)
    report('missing-attribute', 'UPSERT does not say by which columns it finds a row', originOf(place, 'operation'), {
      help: 'Write conflict = ["id"], with the columns of the primary key or of a unique key.',
    });
  else if (upserts && Array.isArray(conflict) && conflict.length === 0)
    report('malformed-conflict', 'conflict names no column', originOf(place, 'conflict'), {
      help: 'Write conflict = ["id"], with the columns of the primary key or of a unique key.',
    });
  else if (!upserts && conflict !== undefined)
    report('inert-attribute', 'conflict is for UPSERT', originOf(place, 'conflict'), {
      help:
        place.query === undefined
          ? 'Write operation = "UPSERT", or remove conflict.'
          : 'Remove it: the statement says itself what it does with a row that exists.',
    });
}
