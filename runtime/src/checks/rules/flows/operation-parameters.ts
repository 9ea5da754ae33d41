import type { ConnectorDeclaration, Report } from '@svc/protocol/model';
import { type OperationParameters, originOf } from '@svc/protocol/schema';
import { closest } from '@svc/protocol/text';
import { titleOf } from '../../../connectors/core/declaration.ts';
import { resolveOperation } from '../../../connectors/core/operations.ts';
import type { FlowRule } from '../../../engine/flow/every-flow.ts';
import { type TargetPlace, targetPlaces } from '../../../engine/flow/flow-places.ts';
import { type WrittenParameter, writtenParameters } from '../../../engine/flow/written-parameters.ts';

/** Where a connector knows the parameters of its operations, `params` gives those that it needs and no others. */
export const checkOperationParameters: FlowRule = (flow, connectors, report) => {
  for (const place of targetPlaces(flow)) {
    const connector = connectors.get(place.values.connector);
    const written = writtenParameters(place);
    if (connector === undefined || written === undefined) continue;
    const declared = connector.spec === undefined ? [...connector.profiles.values()] : [connector];
    const known = declared.flatMap((each) => knownTo(each, place) ?? []);
    for (const each of known) checkGiven(place, each, written, report);
    // What one profile does not take, another one may.
    if (known.length === declared.length) checkTaken(known, written, report);
  }
};

/** What a connector or a profile knows of the parameters of what is asked. */
interface Known extends OperationParameters {
  readonly what: string;
  readonly all: readonly string[];
}

function knownTo(declared: ConnectorDeclaration, { values }: TargetPlace): Known | undefined {
  const named = resolveOperation(declared, values.operation);
  const known = declared.spec?.target?.parameters?.(
    named ? named.operation : values.operation,
    named?.own,
    declared.values,
  );
  if (known === undefined) return undefined;
  const what =
    values.operation === undefined ? titleOf(declared) : `operation "${values.operation}" of ${titleOf(declared)}`;
  return {
    ...known,
    what,
    all: [
      ...known.needs,
      ...known.takes,
      ...Object.keys(known.synonyms ?? {}),
      ...(named?.params.map(({ label }) => label) ?? []),
    ],
  };
}

function checkGiven(
  { title, values }: TargetPlace,
  { needs, byTarget, synonyms = {}, check, what, all }: Known,
  written: readonly WrittenParameter[],
  report: Report,
): void {
  const given = new Set(written.flatMap(({ name }) => [name, synonyms[name] ?? name]));
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
    const problem = constant === undefined || !all.includes(name) ? undefined : check?.(name, constant);
    if (problem !== undefined) report('invalid-value', `${name} ${problem}`, at);
  }
}

function checkTaken(known: readonly Known[], written: readonly WrittenParameter[], report: Report): void {
  const all = known.flatMap((each) => each.all);
  const [{ what } = { what: '' }] = known;
  for (const { name, at } of written) {
    if (all.includes(name)) continue;
    const near = closest(name, all);
    const takesWhat = all.length > 0 ? `It takes ${all.join(', ')}.` : 'It takes no parameters.';
    report('unknown-parameter', `${what} does not take ${name}`, at, {
      help: near === undefined ? takesWhat : `Did you mean ${near}?`,
    });
  }
}
