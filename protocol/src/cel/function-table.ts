import { functions } from './functions.ts';
import { accepts, readSignature, type Signature } from './signature.ts';
import type { Builtin, FunctionContext, FunctionDefinition } from './stdlib/definition.ts';

/** A function as the compiler calls it; a method's receiver is its first argument. */
export interface KnownFunction {
  readonly work: Builtin;
  readonly pure: boolean;
  readonly prepare?: FunctionDefinition['prepare'];
}

/** The functions that an expression may call, by name. */
export class FunctionTable {
  readonly #context: FunctionContext;
  readonly #definitions: ReadonlyMap<string, FunctionDefinition>;
  readonly #known = new Map<string, KnownFunction>();
  readonly #signatures = new Map<string, readonly Signature[]>();

  constructor(context: FunctionContext, dialect: 'product' | 'strict') {
    this.#context = context;
    const definitions = functions.filter((definition) => dialect === 'product' || definition.dialect !== 'product');
    this.#definitions = new Map(definitions.map((definition) => [definition.name, definition]));
  }

  /** The function for `name(...)`, also with a namespace; undefined when none takes so many arguments. */
  call(name: string, count: number): KnownFunction | undefined {
    return this.#find(name, count, 'call');
  }

  /** The method for `receiver.name(...)`. */
  method(name: string, count: number): KnownFunction | undefined {
    return this.#find(name, count, 'method');
  }

  /** The ways to call it, empty for an unknown name. */
  signatures(name: string, form: 'call' | 'method'): readonly Signature[] {
    let all = this.#signatures.get(name);
    if (!all) {
      all = (this.#definitions.get(name)?.signatures ?? []).map(readSignature);
      this.#signatures.set(name, all);
    }
    return all.filter(({ receiver }) => (receiver !== undefined) === (form === 'method'));
  }

  /** Names that may be called, for suggestions. */
  names(form: 'call' | 'method'): string[] {
    return [...this.#definitions.keys()].filter((name) => this.signatures(name, form).length > 0);
  }

  #find(name: string, count: number, form: 'call' | 'method'): KnownFunction | undefined {
    if (!this.signatures(name, form).some((signature) => accepts(signature, count))) return undefined;
    const key = `${form} ${name}`;
    const found = this.#known.get(key);
    if (found) return found;
    const definition = this.#definitions.get(name) as FunctionDefinition;
    const work = definition[form] ?? definition.bind?.(this.#context);
    if (!work) return undefined;
    const known: KnownFunction = { work, pure: definition.pure ?? true, prepare: definition.prepare };
    this.#known.set(key, known);
    return known;
  }
}
