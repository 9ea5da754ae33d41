import { CelError, type FunctionImplementation } from './engine.ts';
import { functions } from './functions.ts';
import { accepts, readSignature, type Signature } from './signature.ts';
import type { Builtin, FunctionContext, FunctionDefinition } from './stdlib/definition.ts';
import { apart } from './values/meter.ts';

/** A function as the compiler calls it; a method's receiver is its first argument. */
export interface KnownFunction {
  readonly work: Builtin;
  readonly pure: boolean;
  readonly prepare?: FunctionDefinition['prepare'];
}

/** The functions that expressions may call, by name. */
export class FunctionTable {
  readonly #context: FunctionContext;
  readonly #definitions: ReadonlyMap<string, FunctionDefinition>;
  readonly #dialect: 'product' | 'strict';
  readonly #known = new Map<string, KnownFunction>();
  readonly #signatures = new Map<string, readonly Signature[]>();
  readonly #host: ReadonlyMap<string, FunctionImplementation>;

  constructor(context: FunctionContext, dialect: 'product' | 'strict', host: readonly FunctionImplementation[] = []) {
    this.#context = context;
    this.#dialect = dialect;
    const own = functions.filter((definition) => dialect === 'product' || definition.dialect !== 'product');
    this.#definitions = new Map(own.map((definition) => [definition.name, definition]));
    this.#host = new Map(host.map((implementation) => [implementation.name, implementation]));
  }

  /** This table with functions of the host, which win over those of the same name. */
  with(host: readonly FunctionImplementation[] | undefined): FunctionTable {
    return host && host.length > 0 ? new FunctionTable(this.#context, this.#dialect, host) : this;
  }

  /** Whether the value of any function of the host comes later. */
  get hasLater(): boolean {
    return [...this.#host.values()].some(({ later }) => later === true);
  }

  /** The function of the host for `name(...)`. */
  host(name: string): FunctionImplementation | undefined {
    return this.#host.get(name);
  }

  /** Whether `name(...)` is a function, whatever its arguments. */
  knows(name: string): boolean {
    return this.#host.has(name) || this.signatures(name, 'call').length > 0;
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
    const key = `${form} ${name}`;
    const found = this.#signatures.get(key);
    if (found) return found;
    const all = (this.#definitions.get(name)?.signatures ?? []).map(readSignature);
    const read = all.filter(({ receiver }) => (receiver !== undefined) === (form === 'method'));
    if (all.length > 0) this.#signatures.set(key, read);
    return read;
  }

  /** Names that may be called, for suggestions. */
  names(form: 'call' | 'method'): string[] {
    const own = [...this.#definitions.keys()].filter((name) => this.signatures(name, form).length > 0);
    return form === 'call' ? [...own, ...this.#host.keys()] : own;
  }

  /** What is wrong with constant arguments (undefined where they are not constant) of a call. */
  inspect(name: string, constants: readonly unknown[]): string | undefined {
    try {
      apart(this.#context.costLimit, () => this.#definitions.get(name)?.inspect?.(constants));
      return undefined;
    } catch (error) {
      if (error instanceof CelError) return error.message;
      throw error;
    }
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
