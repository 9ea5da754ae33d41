import type { CelEngine } from '@svc/protocol/cel';
import type { Project } from '@svc/protocol/model';
import type { ArgumentSource } from '@svc/protocol/schema';
import { resolveOperation } from '../../connectors/core/operations.ts';
import type { FlowDeclaration } from '../flow/declarations.ts';
import { type TargetPlace, targetPlaces } from '../flow/flow-places.ts';

/**
 * Fields of the messages of a flow that hold credentials, for a connector says so of what it is given there: the parameters
 * by their names, and the fields of `input` that they are read from.
 */
export function secretFields(flow: FlowDeclaration, { connectors }: Project, engine: CelEngine): readonly string[] {
  const found = new Set<string>();
  for (const place of targetPlaces(flow)) {
    const connector = connectors.get(place.values.connector);
    if (connector === undefined) continue;
    const declared = connector.spec === undefined ? [...connector.profiles.values()] : [connector];
    for (const each of declared) {
      const named = resolveOperation(each, place.values.operation);
      const word = named?.operation ?? place.values.operation ?? constantTarget(place);
      const secrets = each.spec?.target?.parameters?.(word, named?.own, each.values)?.secrets ?? [];
      for (const name of secrets) found.add(name);
      for (const [name, text] of textsOf(place))
        if (secrets.includes(name)) for (const read of readIn(text, engine)) found.add(read);
    }
  }
  return [...found];
}

function constantTarget({ values }: TargetPlace): string | undefined {
  return 'target' in values && values.target?.kind === 'constant' ? String(values.target.value) : undefined;
}

/** Parameters by name, as expressions. */
function textsOf({ kind, values }: TargetPlace): readonly (readonly [string, string])[] {
  if (kind === 'enrich') return values.params?.fields.map(({ name, value }) => [name, value.source]) ?? [];
  const params = 'params' in values ? (values.params as ArgumentSource | undefined) : undefined;
  if (params?.kind !== 'map') return [];
  return params.entries.flatMap(([name, value]) => ('source' in value ? [[name, String(value.source)] as const] : []));
}

/** The members of `input` that an expression reads, by their own names. */
function readIn(expression: string, engine: CelEngine): readonly string[] {
  const compiled = engine.compile(expression, { check: false });
  if (!compiled.ok) return [];
  return compiled.program.references.flatMap(({ path }) =>
    path[0] === 'input' && path.length > 1 ? [path.at(-1) as string] : [],
  );
}
