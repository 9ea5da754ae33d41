import type { DeclaredType } from '../../../foundation/contracts/types.ts';
import type { Described } from './described.ts';
import { inputName } from './names.ts';

/** Which types of a configuration are sent, under which names, and which of them are checked. */
export class InputTypes {
  readonly #known: ReadonlyMap<string, DeclaredType>;
  readonly #answered: ReadonlySet<string>;
  readonly #checked: ReadonlySet<string>;

  constructor(types: readonly DeclaredType[], bindings: readonly Described[]) {
    this.#known = new Map(types.map((type) => [type.name, type]));
    const owners = bindings.map(({ operation }) => /^\w+/.exec(operation ?? '')?.[0]);
    const answers = bindings.flatMap(({ returns, entity }) => [returns?.type, entity]);
    const federated = types.filter(({ federation: { keys, implements: own } }) => keys.length + own.length > 0);
    const interfaces = types.flatMap(({ federation }) => federation.implements);
    this.#answered = this.#reached([...owners, ...answers, ...federated.map(({ name }) => name), ...interfaces]);
    this.#checked = this.#reached(
      bindings.flatMap((binding) => (isMutation(binding) ? [binding.validates?.input] : [])),
    );
  }

  /** Whether a type is only sent: it is the input itself, and no object. */
  isSent(type: string): boolean {
    if (this.#answered.has(type) || !this.#known.has(type)) return false;
    return this.#checked.has(type) || isInputOf(type, this.#known);
  }

  /** The name of what is sent of a type: its own where it is only sent, else that of its input. */
  nameOf(type: string): string {
    return this.isSent(type) ? type : inputName(type);
  }

  /** Whether the type declares the input that another one would have. */
  isDeclared(type: string): boolean {
    return !this.isSent(type) && this.isSent(inputName(type));
  }

  /** Whether a flow checks what is sent of a type, so that what must be there must be sent. */
  isChecked(type: string): boolean {
    return this.#checked.has(type) || this.isSent(type);
  }

  #reached(names: readonly (string | undefined)[]): ReadonlySet<string> {
    const found = new Set<string>();
    const add = (name: string | undefined) => {
      const type = name === undefined ? undefined : this.#known.get(name);
      if (type === undefined || found.has(type.name)) return;
      found.add(type.name);
      addFields(type.fields);
    };
    const addFields = (fields: DeclaredType['fields']) => {
      for (const { shape, constraints } of fields) {
        if (shape.kind === 'type') add(shape.type);
        if (shape.kind === 'fields') addFields(shape.fields);
        add(constraints.items);
      }
    };
    names.forEach(add);
    return found;
  }
}

/** Whether the name is that of the input of another type: `ProductInput` beside `Product`. */
export function isInputOf(type: string, known: { has(name: string): boolean }): boolean {
  return type.endsWith('Input') && known.has(type.slice(0, -'Input'.length));
}

export function isMutation({ operation }: Pick<Described, 'operation'>): boolean {
  return operation?.trim().startsWith('Mutation.') === true;
}
