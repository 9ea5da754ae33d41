import type { Project } from '@svc/protocol/model';
import type { ArgumentSource } from '@svc/protocol/schema';
import { resolveOperation } from '../connectors/operations.ts';
import type { FlowDeclaration } from '../flow/declarations.ts';
import { type TargetPlace, targetPlaces } from '../rules/flows/flow-places.ts';

/**
 * Fields of the messages of a flow that hold credentials, for a connector says so of what it is given there: the parameters
 * by their names, and the fields of `input` that they are read from.
 */
export function secretFields(flow: FlowDeclaration, { connectors }: Project): readonly string[] {
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
        if (secrets.includes(name)) for (const read of readIn(text)) found.add(read);
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

/** A path into `input`, without functions at its end. */
const path = /\binput((?:\s*\.\s*[A-Za-z_]\w*(?!\w*\s*\()|\s*\[\s*["'][^"']*["']\s*\])+)/g;

/** The members of `input` that an expression reads, by their own names. */
function readIn(expression: string): readonly string[] {
  return [...expression.matchAll(path)].flatMap(([, members = '']) => {
    const last = [...members.matchAll(/\.\s*(\w+)|\[\s*["']([^"']*)["']/g)].at(-1);
    return last?.[1] ?? last?.[2] ?? [];
  });
}
