import type { BlockSpec, ConnectorSpec, Origin, Values, Vocabulary } from '../schema/index.ts';
import type { SyntaxTree } from '../syntax/tree.ts';
import type { Diagnostic } from '../text/index.ts';

/** Everything that a directory of files says, decoded and linked. Immutable. */
export interface Project {
  readonly vocabulary: Vocabulary;
  /** In lexical order of their paths. */
  readonly files: readonly SyntaxTree[];
  /**
   * Problems of every file at once, in the order of files and places. The project may be served when none is an error.
   */
  readonly diagnostics: readonly Diagnostic[];
  /**
   * Every declaration of one root word (`flow`, `type`), in the order of files and places; empty without declarations.
   */
  all<S extends BlockSpec>(word: string, spec: S): readonly Declaration<Values<S>>[];
  /**
   * The one block of a word without label (`service`, `security`), folded from all files; undefined when not written.
   */
  one<S extends BlockSpec>(word: string, spec: S): Values<S> | undefined;
  readonly connectors: ReadonlyMap<string, ConnectorDeclaration>;
  /** What the host answered while files were read: values of the environment, texts of files. Nothing repeats them. */
  readonly hostTexts?: Iterable<string> | undefined;
  /** The union of all `constants` blocks; whole numbers are bigint, as expressions see them. */
  readonly constants: Readonly<Record<string, unknown>>;
}

/** A named root block. */
export interface Declaration<V> {
  readonly name: string;
  readonly values: V;
  /** The whole block. */
  readonly origin: Origin;
  /** Its label. */
  readonly nameOrigin: Origin;
}

/** `connector "name" { … }`. */
export interface ConnectorDeclaration {
  readonly name: string;
  readonly origin: Origin;
  readonly nameOrigin: Origin;
  /** Undefined when it chooses between profiles. */
  readonly spec: ConnectorSpec | undefined;
  /** Decoded by `spec.config`, or by `vocabulary.profiled`. The factory of the spec knows the exact type. */
  readonly values: Values<BlockSpec>;
  /** `operation "name"` blocks, decoded by `spec.operation`. */
  readonly operations: ReadonlyMap<string, OperationDeclaration>;
  /** The profiles by name, in written order; empty unless it chooses between them. */
  readonly profiles: ReadonlyMap<string, ConnectorDeclaration>;
}

/** `operation "name" { … }` of a connector (docs/specification/connectors.md#named-operations). */
export interface OperationDeclaration {
  readonly name: string;
  readonly origin: Origin;
  readonly values: Values<BlockSpec>;
}
