/** A `type` block of the configuration, as protocols with types publish it. */
export interface DeclaredType {
  readonly name: string;
  readonly description: string | undefined;
  readonly fields: readonly DeclaredField[];
  readonly federation: DeclaredFederation;
}

/** What a federation of services reads of a type. */
export interface DeclaredFederation {
  /** Sets of fields by which other services refer to an object, each with its fields separated by spaces. */
  readonly keys: readonly string[];
  /** Whether several services may answer its fields. */
  readonly shareable: boolean;
  /** Whether it is hidden from callers of the federation. */
  readonly inaccessible: boolean;
  /** Types whose fields it has, and as which it can be answered. */
  readonly implements: readonly string[];
}

export interface DeclaredField {
  readonly name: string;
  readonly shape: DeclaredShape;
  readonly constraints: DeclaredConstraints;
}

/** One of the field types (`string`, `number`, …), another type by name, or fields of its own. */
export type DeclaredShape =
  | { readonly kind: 'string' | 'number' | 'integer' | 'boolean' | 'id' | 'array' | 'object' }
  | { readonly kind: 'type'; readonly type: string }
  | { readonly kind: 'fields'; readonly fields: readonly DeclaredField[] };

/** Those that decide how a field is published. */
export interface DeclaredConstraints {
  /** Whether the field must be there. */
  readonly required: boolean;
  /** What it is where it is not sent. */
  readonly default?: unknown;
  readonly description: string | undefined;
  readonly format: string | undefined;
  readonly enum: readonly unknown[] | undefined;
  readonly min: number | undefined;
  readonly max: number | undefined;
  /** Of an array: one of the field types, or the name of a type. */
  readonly items: string | undefined;
  /** Whether another service of a federation answers it. */
  readonly external: boolean | undefined;
  /** Fields of its object that are answered with it. */
  readonly provides: readonly string[] | undefined;
  /** External fields that its flow reads. */
  readonly requires: readonly string[] | undefined;
  readonly shareable: boolean | undefined;
  readonly inaccessible: boolean | undefined;
  /** The service that answered it before. */
  readonly override: string | undefined;
}

/** What a flow sends to a connector. */
export interface SentOperation {
  readonly flow: string;
  /** As the connector receives it; undefined when none was written. */
  readonly operation: string | undefined;
  /** As it is written, where that is a text. */
  readonly target: string | undefined;
  readonly returns: ReturnShape | undefined;
}

/** What a configuration declares beside the flows behind a source. */
export interface Declarations {
  readonly types: readonly DeclaredType[];
  /** What flows send to the connector of the source, in written order. */
  readonly sent: readonly SentOperation[];
  /** Describes what the source serves, as OpenAPI in JSON; `baseUrl` is where callers reach it. Absent: nothing can. */
  readonly describe?: ((baseUrl: string) => Promise<string>) | undefined;
}

/** The type of an answer as protocols with types publish it. */
export interface ReturnShape {
  /** A scalar such as `Int`, or the name of a type. */
  readonly type: string;
  readonly scalar: boolean;
  readonly list: boolean;
  /** Whether the whole may be null; of a list also whether its elements may. */
  readonly nullable: boolean;
  readonly nullableElements: boolean;
}
