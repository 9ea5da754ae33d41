import type { ArgumentSource, Values } from '@svc/protocol/schema';
import type { flow } from '../../spec.ts';
import type { FlowTools } from '../../tools.ts';
import type { FlowVerb } from '../../verb.ts';
import type { Destination } from './destination.ts';
import type { to } from './spec.ts';
import { namedOperation, verbOfDestination } from './verb.ts';

/**
 * The destinations that a flow uses. A reading flow uses the first; one that has steps does not use a destination,
 * because it answers with those.
 */
export function resolveDestinations(
  values: Values<typeof flow>,
  verb: FlowVerb,
  tools: Pick<FlowTools, 'connector'>,
): readonly Destination[] {
  const resolved = values.to.map((destination) => resolve(destination, verb, tools));
  if (resolved[0]?.verb === 'read') return values.step.length > 0 ? [] : labelled(resolved.slice(0, 1));
  return labelled(resolved);
}

function resolve(
  values: Values<typeof to>,
  verb: FlowVerb,
  tools: Pick<FlowTools, 'connector'>,
): Omit<Destination, 'label'> {
  const use = tools.connector(values.connector);
  const written = constantText(values.target);
  const named = namedOperation(values, use.operation);
  const target = named !== undefined && values.operation === undefined ? undefined : written;
  return {
    values,
    use,
    verb: verbOfDestination(values, named, verb, use.effect, use.takesAnswers),
    operation: named ? named.operation : values.operation,
    target: named?.target ?? target,
    query: values.query ?? named?.query,
    named,
  };
}

function constantText(target: ArgumentSource | undefined): string | ArgumentSource | undefined {
  if (target?.kind !== 'constant') return target;
  return target.value === null || target.value === undefined ? undefined : String(target.value);
}

function labelled(destinations: readonly Omit<Destination, 'label'>[]): readonly Destination[] {
  const full = destinations.map(({ use, target }) => (typeof target === 'string' ? `${use.name}:${target}` : use.name));
  return destinations.map((destination, at) => {
    const { name } = destination.use;
    const same = destinations.filter(({ use }) => use.name === name);
    if (same.length === 1) return { ...destination, label: name };
    const own = full[at] as string;
    if (own !== name && full.filter((other) => other === own).length === 1) return { ...destination, label: own };
    const position = destinations.slice(0, at + 1).filter(({ use }) => use.name === name).length;
    return { ...destination, label: `${name}#${position}` };
  });
}
