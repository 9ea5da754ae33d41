import type { Project } from '@svc/protocol/model';
import { closest } from '@svc/protocol/text';
import { resolveOperation } from '../connectors/operations.ts';
import type { FlowDeclaration } from '../flow/declarations.ts';
import { type } from '../flow/stages/validate/spec.ts';

/** A field that no message has, and what may have been meant. */
export interface UnknownField {
  readonly message: string;
  readonly help: string | undefined;
}

/** The variables whose fields can be known before a message is there. */
export const knownVariables: ReadonlySet<string> = new Set(['constants', 'step', 'enriched', 'input']);

/** Which fields variables have in a project, and in one of its flows. */
export class KnownFields {
  readonly #project: Project;
  readonly #types = new Map<string, readonly string[]>();

  constructor(project: Project) {
    this.#project = project;
  }

  /** Why a field of a variable cannot exist; undefined when it can. */
  unknown(variable: string, field: string, flow: FlowDeclaration['values'] | undefined): UnknownField | undefined {
    if (variable === 'constants')
      return missing('constant', field, Object.keys(this.#project.constants), 'in the configuration');
    if (flow === undefined) return undefined;
    if (variable === 'step') return missing('step', field, labels(flow.step), 'in this flow');
    if (variable === 'enriched')
      return missing('enrich', field, labels([...flow.enrich, ...(flow.transform?.enrich ?? [])]), 'in this flow');
    return this.#input(field, flow);
  }

  /** A message may carry more than its type declares, so only what looks like a slip of a declared name counts. */
  #input(field: string, { from, validate }: FlowDeclaration['values']): UnknownField | undefined {
    const connector = from?.connector === undefined ? undefined : this.#project.connectors.get(from.connector);
    const named = connector && resolveOperation(connector, from?.operation);
    const [name] = [validate?.input, named?.input].filter((each) => each !== undefined);
    const fields = name === undefined ? undefined : this.#fieldsOf(name);
    if (fields === undefined) return undefined;
    const source = connector?.spec?.source;
    const operation = named?.operation ?? from?.operation ?? '';
    const given = [...Object.keys(source?.input ?? {}), ...(source?.parameters?.(operation) ?? [])];
    const known = [...fields, ...given, ...(named?.params.map(({ label }) => label) ?? [])];
    const near = known.includes(field) ? undefined : closest(field, fields);
    if (near === undefined) return undefined;
    return { message: `type "${name}" has no field "${field}"`, help: `Did you mean "${near}"?` };
  }

  #fieldsOf(name: string): readonly string[] | undefined {
    const before = this.#types.get(name);
    if (before !== undefined) return before;
    const declared = this.#project.all('type', type).find((each) => each.name === name);
    const fields = declared?.values.fields.map((field) => field.name);
    if (fields !== undefined) this.#types.set(name, fields);
    return fields;
  }
}

function labels(blocks: readonly { readonly label: string }[]): readonly string[] {
  return blocks.map(({ label }) => label);
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
