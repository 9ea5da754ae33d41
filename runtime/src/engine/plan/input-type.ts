import { bool, type CelType, double, dyn, list, map, string, struct } from '@svc/protocol/cel';
import type { Project } from '@svc/protocol/model';
import { type ParameterDeclaration, resolveOperation } from '../../connectors/core/operations.ts';
import type { FlowDeclaration } from '../flow/declarations.ts';
import { blockOf, blockStages } from '../flow/pipeline/stages.ts';
import { type FoundSource, findSources } from '../flow/sources-in.ts';
import type { FieldModel, FieldShape } from '../flow/stages/validate/spec.ts';
import { decodeTypes } from '../flow/stages/validate/type-rules.ts';

type FlowValues = FlowDeclaration['values'];

/** What is known of the type of a message. */
export interface InputType {
  readonly type: CelType;
  /** Equal for equal types. */
  readonly key: string;
}

/** Fields of one type, those of the types inside counted each time. Types that use each other could grow for ever. */
const largest = 1000;

const anything = map(string, dyn);

/**
 * The types that messages of flows have behind their checks. What a message may leave out, what may have several types,
 * and what no type declares is `dyn`.
 */
export class InputTypes {
  readonly #project: Project;
  readonly #known = new Map<string, Readonly<Record<string, CelType>>>();
  /** By what declares them. */
  readonly #made = new Map<string, InputType | undefined>();
  #models: ReadonlyMap<string, readonly FieldModel[]> | undefined;

  constructor(project: Project) {
    this.#project = project;
  }

  /** Undefined when nothing is declared. */
  of({ from, validate }: FlowValues): InputType | undefined {
    const connector = from?.connector === undefined ? undefined : this.#project.connectors.get(from.connector);
    const named = connector && resolveOperation(connector, from?.operation);
    const params = named?.params ?? [];
    const asked = params.length === 0 ? [] : [from?.connector, from?.operation];
    const declared = JSON.stringify([named?.input, validate?.input, ...asked]);
    if (!this.#made.has(declared)) this.#made.set(declared, this.#make(params, [named?.input, validate?.input]));
    return this.#made.get(declared);
  }

  #make(params: readonly ParameterDeclaration[], names: readonly (string | undefined)[]): InputType | undefined {
    const fields: Record<string, CelType> = Object.create(null);
    for (const parameter of params) fields[parameter.label] = parameterType(parameter);
    for (const name of names) if (name !== undefined) Object.assign(fields, this.#fieldsOf(name));
    const known = Object.entries(fields).filter(([, each]) => each.kind !== 'dyn');
    if (known.length === 0) return undefined;
    const type = struct(Object.fromEntries(known), true);
    return { type, key: JSON.stringify(type) };
  }

  #fieldsOf(name: string): Readonly<Record<string, CelType>> {
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    // A type that contains itself is a map of anything in there.
    this.#known.set(name, {});
    this.#models ??= new Map(decodeTypes(this.#project, () => undefined).map((each) => [each.name, each.fields]));
    const all = this.#typesOf(this.#models.get(name) ?? []);
    const fields = sizeOf(struct(all)) > largest ? {} : all;
    this.#known.set(name, fields);
    return fields;
  }

  #typesOf(fields: readonly FieldModel[]): Readonly<Record<string, CelType>> {
    return Object.fromEntries(fields.map((field) => [field.name, this.#fieldType(field)]));
  }

  #fieldType({ shape, constraints: { required, items } }: FieldModel): CelType {
    if (!required) return dyn;
    if (shape.kind !== 'array' || items === undefined) return this.#typeOf(shape);
    return list(plain[items] ?? (items in plain ? dyn : struct(this.#fieldsOf(items), true)));
  }

  #typeOf(shape: FieldShape): CelType {
    if (shape.kind === 'type') return struct(this.#fieldsOf(shape.type), true);
    if (shape.kind === 'fields') return struct(this.#typesOf(shape.fields), true);
    return plain[shape.kind] ?? dyn;
  }
}

/** Numbers are `double`, which may be used wherever an `int` may. An `id` is a text or a number. */
const plain: Readonly<Record<string, CelType | undefined>> = {
  string,
  number: double,
  integer: double,
  boolean: bool,
  id: undefined,
  array: list(dyn),
  object: anything,
};

function sizeOf(type: CelType): number {
  if (type.kind === 'list') return sizeOf(type.element);
  if (type.kind !== 'struct') return 1;
  return Object.values(type.fields).reduce((sum, field) => sum + sizeOf(field), 1);
}

/** What has neither to be there nor a default may be absent. */
function parameterType({ type, required, default: standard }: ParameterDeclaration): CelType {
  const isThere = required || (standard !== undefined && standard !== null && standard !== '');
  return isThere ? (plain[type] ?? dyn) : dyn;
}

/** The expressions of a flow that read its message behind the checks, in what the flow itself writes. */
export function sourcesBehindChecks({ values, origin: { file, range } }: FlowDeclaration): readonly FoundSource[] {
  // The rows of a batch are messages of their own.
  if (values.batch !== undefined) return [];
  const blocks = blockStages.filter(({ readsChecked }) => readsChecked).map(({ word }) => blockOf(values, word));
  return findSources(blocks).filter(({ source, variables }) => {
    const at = source.origin;
    const isOwn = at.file === file && at.range.start >= range.start && at.range.end <= range.end;
    return isOwn && source.constant === undefined && source.reads.includes('input') && !variables.includes('input');
  });
}
