import { toJson } from '@svc/protocol/cel';
import type { Asker } from './field-message.ts';
import { Limiter } from './limiter.ts';
import type { Place, Places } from './places.ts';
import { type Selected, united } from './selection.ts';
import type { Variables } from './variables.ts';

/** Most flows that one request has under way at a time. */
const mostAtOnce = 16;

/** One execution of a document: what its fields share with each other alone. */
export class Execution {
  readonly asker: Asker;
  readonly variables: Variables;
  readonly places: Places;
  readonly limiter: Limiter = new Limiter(mostAtOnce);
  readonly #shared = new Map<readonly Place[], ReadonlyMap<Place, Shared>>();

  constructor(asker: Asker, variables: Variables, places: Places) {
    this.asker = asker;
    this.variables = variables;
    this.places = places;
  }

  /** What a place shares with those of its field that ask for the same; each has one of these, maybe alone. */
  shared(place: Place, same: readonly Place[]): Shared {
    let found = this.#shared.get(same);
    if (found === undefined) {
      found = this.#group(same);
      this.#shared.set(same, found);
    }
    return found.get(place) as Shared;
  }

  #group(same: readonly Place[]): ReadonlyMap<Place, Shared> {
    const byKey = new Map<string, Place[]>();
    const groups: Place[][] = [];
    for (const place of same) {
      const key = this.#keyOf(place);
      const known = key === undefined ? undefined : byKey.get(key);
      if (known !== undefined) known.push(place);
      else {
        const group = [place];
        groups.push(group);
        if (key !== undefined) byKey.set(key, group);
      }
    }
    return new Map(
      groups.flatMap((group) => {
        const shared = new Shared(united(group.map(({ selection }) => selection(this.variables))));
        return group.map((place) => [place, shared] as const);
      }),
    );
  }

  /** Undefined: what it asks for is equal to nothing else. */
  #keyOf({ args }: Place): string | undefined {
    try {
      return JSON.stringify(toJson(args(this.variables)), sorted);
    } catch {
      return undefined;
    }
  }
}

/** One run of a flow for several places of a document. */
export class Shared {
  /** What any of them selects. */
  readonly selected: Selected;
  #answer: { readonly value: unknown } | undefined;

  constructor(selected: Selected) {
    this.selected = selected;
  }

  /** The answer, or a promise of it; `run` is called by the first who asks. */
  answer(run: () => unknown): unknown {
    this.#answer ??= { value: run() };
    return this.#answer.value;
  }
}

/** Names of an object in one order, so that equal values are equal texts.  */
function sorted(_name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
