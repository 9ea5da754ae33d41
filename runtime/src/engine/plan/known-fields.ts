import type { Project } from '@svc/protocol/model';
import { closest } from '@svc/protocol/text';
import { resolveOperation } from '../../connectors/core/operations.ts';
import type { FlowDeclaration } from '../flow/declarations.ts';
import { resultBlocks } from '../flow/pipeline/results.ts';
import { flow } from '../flow/spec.ts';
import { type } from '../flow/stages/validate/spec.ts';

/** A field that no message has, and what may have been meant. */
export interface UnknownField {
  readonly message: string;
  readonly help: string | undefined;
}

/** The variables whose fields can be known before a message is there. */
export const knownVariables: ReadonlySet<string> = new Set(['constants', 'step', 'enriched', 'input']);

type FlowValues = FlowDeclaration['values'];

/** What is known of the input of a flow with a type. */
interface Typed {
  readonly name: string;
  /** Fields of the type. */
  readonly fields: readonly string[];
  /** Those, and what the source gives beside them. */
  readonly known: ReadonlySet<string>;
}

/** Which fields variables have in a project, and in one of its flows. Used again after every edit, so nothing is computed twice. */
export class KnownFields {
  readonly #project: Project;
  readonly #constants: readonly string[];
  readonly #inputs = new Map<FlowValues, Typed | undefined>();
  #types: ReadonlyMap<string, readonly string[]> | undefined;

  constructor(project: Project) {
    this.#project = project;
    this.#constants = Object.keys(project.constants);
  }

  /** Why a field of a variable cannot exist; undefined when it can. */
  unknown(variable: string, field: string, flow: FlowValues | undefined): UnknownField | undefined {
    if (variable === 'constants') return missing('constant', field, this.#constants, 'in the configuration');
    if (flow === undefined) return undefined;
    if (variable === 'input') return this.#unknownInput(field, flow);
    const known = resultsOf(flow).get(variable) ?? [];
    return missing(variable === 'enriched' ? 'enrich' : variable, field, known, 'in this flow');
  }

  /** A message may carry more than its type declares, so only what looks like a misspelt declared name counts. */
  #unknownInput(field: string, flow: FlowValues): UnknownField | undefined {
    if (!this.#inputs.has(flow)) this.#inputs.set(flow, this.#typed(flow));
    const typed = this.#inputs.get(flow);
    const near = typed === undefined || typed.known.has(field) ? undefined : closest(field, typed.fields);
    if (typed === undefined || near === undefined) return undefined;
    return { message: `type "${typed.name}" has no field "${field}"`, help: `Did you mean "${near}"?` };
  }

  #typed({ from, validate }: FlowValues): Typed | undefined {
    const connector = from?.connector === undefined ? undefined : this.#project.connectors.get(from.connector);
    const named = connector && resolveOperation(connector, from?.operation);
    const name = validate?.input ?? named?.input;
    const fields = name === undefined ? undefined : this.#fieldsOf(name);
    if (name === undefined || fields === undefined) return undefined;
    const source = connector?.spec?.source;
    const operation = named?.operation ?? from?.operation ?? '';
    const given = [...Object.keys(source?.input ?? {}), ...(source?.parameters?.(operation) ?? [])];
    const params = named?.params.map(({ label }) => label) ?? [];
    return { name, fields, known: new Set([...fields, ...given, ...params]) };
  }

  #fieldsOf(name: string): readonly string[] | undefined {
    this.#types ??= new Map(
      this.#project.all('type', type).map((each) => [each.name, each.values.fields.map((field) => field.name)]),
    );
    return this.#types.get(name);
  }
}

type Results = ReadonlyMap<string, readonly string[]>;

/** A decoded flow never changes. */
const results = new WeakMap<FlowValues, Results>();

/** The labels of what a flow keeps results of, by the variable that holds them. */
function resultsOf(values: FlowValues): Results {
  let found = results.get(values);
  if (found === undefined) {
    const all = Map.groupBy(resultBlocks(values, flow), ({ variable }) => variable);
    results.set(
      values,
      (found = new Map([...all].map(([name, blocks]) => [name, blocks.map((one) => one.values.label)]))),
    );
  }
  return found;
}

function missing(what: string, field: string, known: readonly string[], where: string): UnknownField | undefined {
  if (known.includes(field)) return undefined;
  const near = closest(field, known);
  const all = known.length === 0 ? undefined : `These exist: ${known.join(', ')}.`;
  return {
    message: `there is no ${what} "${field}" ${where}`,
    help: near === undefined ? all : `Did you mean "${near}"?`,
  };
}
