import type { CallRequest } from '../../../foundation/contracts/target.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Completes, converts and checks the values of declared parameters in place. Throws `parameters_invalid`. */
export interface DeclaredParameters {
  readonly names: readonly string[];
  readonly settle: (values: Record<string, unknown>) => void;
  /** Normalizes numbers that came as text in place; undefined when no parameters are declared. */
  readonly spell?: ((values: Record<string, unknown>) => void) | undefined;
}

/** The parts of a request with values by name, in order of precedence. */
const places = ['params', 'payload', 'filters', 'address'] as const;

/**
 * Checks a call of an operation against its declared parameters: each value stays in its place, a default is added to
 * the others. Positional parameters have no names and are not checked.
 */
export function settleRequest({ names, settle }: DeclaredParameters, request: CallRequest): void {
  if (Array.isArray(request.params)) return;
  const own = request as { -readonly [Place in (typeof places)[number]]: Fields | undefined };
  const present = places.filter((place) => own[place] !== undefined);
  const values = Object.create(null) as Record<string, unknown>;
  const homes = new Map<string, (typeof places)[number]>();
  for (const name of names) {
    const home = present.find((place) => Object.hasOwn(own[place] as Fields, name));
    if (home === undefined) continue;
    homes.set(name, home);
    values[name] = own[home]?.[name];
  }
  settle(values);
  const changed = new Map<(typeof places)[number], Record<string, unknown>>();
  for (const name of names) {
    if (!Object.hasOwn(values, name)) continue;
    const home = homes.get(name) ?? present[0] ?? 'params';
    let fields = changed.get(home);
    // The values belong to the message, which is shared.
    if (fields === undefined) changed.set(home, (fields = { ...own[home] }));
    fields[name] = values[name];
  }
  for (const [home, fields] of changed) own[home] = fields;
}
