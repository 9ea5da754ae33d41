import type { Project } from '../../model/index.ts';
import { type ConnectorSpec, operationNeed } from '../../schema/index.ts';
import { namesOf } from '../name-lookup.ts';
import type { ProjectState } from '../states.ts';

/** What a new flow says of the connector that it takes messages from, or that it hands them to. */
export interface FlowEnd {
  /** Why the connector cannot be this end; undefined where it can. */
  readonly refusal: string | undefined;
  /** The attribute that says what of the connector: `operation`, `target`; undefined where there is nothing to say. */
  readonly word: string | undefined;
  readonly isRequired: boolean;
  /** What may be said: operations that the connector declares, what a running service knows, and what it understands. */
  readonly offers: readonly string[];
}

const silent: FlowEnd = { refusal: undefined, word: undefined, isRequired: false, offers: [] };

/** What a flow between connectors says of one of them. Its refusal is a sentence for the person who asked. */
export function flowEnd(name: string, side: 'source' | 'target', state: ProjectState): FlowEnd {
  const specs = specsOf(name, state.project);
  if (specs === undefined) return { ...silent, refusal: `there is no connector "${name}"` };
  const [first] = specs;
  if (first !== undefined && specs.every((spec) => spec[side] === undefined)) {
    const refusal =
      side === 'source'
        ? `no flow can start at "${name}": a ${first.type} sends nothing`
        : `nothing can be sent to "${name}": a ${first.type} takes nothing`;
    return { ...silent, refusal };
  }
  const declared = namesOf('operation', state, name).map((place) => place.name);
  if (side === 'source') {
    const { source } = first ?? {};
    const need = source && operationNeed(source, state.project.connectors.get(name)?.values ?? {});
    if (need === 'none') return silent;
    const offers = [...new Set([...declared, ...(source?.offers ?? [])])];
    return { refusal: undefined, word: 'operation', isRequired: need === 'required', offers };
  }
  const { target } = first ?? {};
  const word = wordOf(target?.needsOneOf ?? [], declared);
  const known = (state.known.get(name) ?? []).map((one) => one.name);
  const own = word === 'operation' ? [...declared, ...(target?.offers ?? [])] : known;
  return { refusal: undefined, word, isRequired: word !== undefined, offers: [...new Set(own)] };
}

/** An operation that is declared is what its author wants to be called. */
function wordOf(needed: readonly string[], declared: readonly string[]): string | undefined {
  return declared.length > 0 && needed.includes('operation') ? 'operation' : needed[0];
}

/** What a connector is; several where profiles choose, empty while it is unknown, undefined for an unknown name. */
function specsOf(name: string, { connectors }: Project): readonly ConnectorSpec[] | undefined {
  const found = connectors.get(name);
  return found && [found, ...found.profiles.values()].flatMap(({ spec }) => spec ?? []);
}
