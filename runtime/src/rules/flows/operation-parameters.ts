import type { ConnectorDeclaration, Report } from '@svc/protocol/model';
import { type ArgumentSource, type OperationParameters, type Origin, originOf } from '@svc/protocol/schema';
import { closest } from '@svc/protocol/text';
import { titleOf } from '../../connectors/declaration.ts';
import { type ResolvedOperation, resolveOperation } from '../../connectors/operations.ts';
import type { FlowRule } from '../../flow/every-flow.ts';
import { type TargetPlace, targetPlaces } from './flow-places.ts';

/** One parameter as it is written; a value that depends on the message is not known. */
interface Written {
  readonly name: string;
  readonly constant?: unknown;
  readonly at: Origin;
}

/** Where a connector knows the parameters of its operations, `params` gives those that it needs and no others. */
export const checkOperationParameters: FlowRule = (flow, connectors, report) => {
  for (const place of targetPlaces(flow)) {
    const connector = connectors.get(place.values.connector);
    const knows = connector?.spec?.target?.parameters;
    if (connector === undefined || knows === undefined) continue;
    const named = resolveOperation(connector, place.values.operation);
    const known = knows(named ? named.operation : place.values.operation, named?.own);
    const written = writtenIn(place);
    if (known !== undefined && written !== undefined) checkPlace(place, connector, known, named, written, report);
  }
};

function checkPlace(
  { title, values }: TargetPlace,
  connector: ConnectorDeclaration,
  { needs, takes, byTarget, check }: OperationParameters,
  named: ResolvedOperation | undefined,
  written: readonly Written[],
  report: Report,
): void {
  const all = [...needs, ...takes, ...(named?.params.map(({ label }) => label) ?? [])];
  const what =
    values.operation === undefined ? titleOf(connector) : `operation "${values.operation}" of ${titleOf(connector)}`;
  const given = new Set(written.map(({ name }) => name));
  if (byTarget !== undefined && 'target' in values && values.target !== undefined) given.add(byTarget);
  for (const name of needs)
    if (!given.has(name))
      report(
        'missing-parameter',
        `${title} does not give ${name}, which ${what} needs`,
        originOf(values, 'operation'),
        {
          help: `Write params = { ${name} = "…" }.`,
        },
      );
  for (const { name, constant, at } of written) {
    if (!all.includes(name)) {
      const near = closest(name, all);
      const takesWhat = all.length > 0 ? `It takes ${all.join(', ')}.` : 'It takes no parameters.';
      report('unknown-parameter', `${what} does not take ${name}`, at, {
        help: near === undefined ? takesWhat : `Did you mean ${near}?`,
      });
    } else if (constant !== undefined) {
      const problem = check?.(name, constant);
      if (problem !== undefined) report('invalid-value', `${name} ${problem}`, at);
    }
  }
}

/** The parameters of a place by name; undefined where the message decides which there are. */
function writtenIn(place: TargetPlace): readonly Written[] | undefined {
  const { values } = place;
  if (place.kind === 'enrich')
    return place.values.params?.fields.map(({ name, value }) => ({ name, at: value.origin })) ?? [];
  const params = 'params' in values ? (values.params as ArgumentSource | undefined) : undefined;
  if (params === undefined) return [];
  if (params.kind === 'constant') {
    const { value, origin } = params;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    return Object.entries(value).map(([name, constant]) => ({ name, constant, at: origin }));
  }
  if (params.kind !== 'map') return undefined;
  return params.entries.map(([name, source]) => ({
    name,
    ...(source.kind === 'constant' && { constant: source.value }),
    at: source.origin ?? params.origin,
  }));
}
