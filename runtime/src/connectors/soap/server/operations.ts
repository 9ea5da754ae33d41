import { Fields } from '@svc/protocol/cel';
import type { Binding } from '../../../foundation/contracts/source.ts';
import type { Declarations } from '../../../foundation/contracts/types.ts';
import { operationOf } from '../operation.ts';
import { type Conversion, conversions, orderedFields } from '../wsdl/convert.ts';
import type { DescribedOperation } from '../wsdl/document.ts';
import { type TypeShapes, typeShapes } from '../wsdl/shapes.ts';

/** An operation, with the flow that answers it. */
export interface Operation extends DescribedOperation {
  readonly binding: Binding;
  /** What becomes of its messages; undefined: they are taken as they come. */
  readonly convert: Conversion | undefined;
}

/** The operations of one configuration. */
export class Operations {
  readonly all: readonly Operation[];
  readonly types: TypeShapes;
  readonly #byName: ReadonlyMap<string, Operation>;

  constructor(bindings: readonly Binding[], { types }: Pick<Declarations, 'types'>) {
    this.types = typeShapes(types);
    const converting = conversions(this.types);
    this.all = bindings.map((binding) => ({
      name: binding.operation?.trim() ?? '',
      input: binding.validates?.input,
      output: binding.validates?.output,
      binding,
      convert: binding.validates?.input === undefined ? undefined : converting.get(binding.validates.input),
    }));
    this.#byName = new Map(this.all.map((operation) => [operation.name, operation]));
  }

  find(element: string): Operation | undefined {
    return this.#byName.get(element) ?? this.#byName.get(operationOf(element));
  }

  /** The message of a flow, which is the content of its element: a text beside no elements is in `value`. */
  inputOf({ convert }: Operation, content: unknown): Record<string, unknown> {
    const fields = convert === undefined ? content : convert(content);
    if (typeof fields === 'object' && fields !== null) return fields as Record<string, unknown>;
    const map = new Fields();
    if (fields !== '' && fields !== null && fields !== undefined) map['value'] = fields;
    return map;
  }

  /** An answer as its type has it. */
  answerOf({ output }: Operation, value: unknown): unknown {
    const elements = output === undefined ? undefined : this.types.get(output);
    if (elements === undefined) return value;
    if (Array.isArray(value)) return value.map((item) => orderedFields(item, elements, this.types));
    return orderedFields(value, elements, this.types);
  }
}
