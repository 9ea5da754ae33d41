import type { CallRequest } from '../contracts/target.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Completes, converts and checks the values of declared parameters in place. Throws `parameters_invalid`. */
export interface DeclaredParameters {
  readonly names: readonly string[];
  readonly settle: (values: Record<string, unknown>) => void;
  /** Gives numbers that came as text one spelling in place; undefined where none are declared. */
  readonly spell?: ((values: Record<string, unknown>) => void) | undefined;
}

/** Where a request carries values by name, those that win first. */
const places = ['params', 'payload', 'filters', 'address'] as const;

/**
 * Holds what an operation is asked with to the parameters that it declares: each value stays where it was, a default
 * stands with the others. Positional parameters have no names, so nothing is known of them.
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
    // The values belong to the message, which others read too.
    if (fields === undefined) changed.set(home, (fields = { ...own[home] }));
    fields[name] = values[name];
  }
  for (const [home, fields] of changed) own[home] = fields;
}
