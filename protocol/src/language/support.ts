import type { CelType, FunctionDocumentation, VariableDeclaration } from '../cel/index.ts';
import type { ConfigurationHost, ConnectorDeclaration, Extend, Project, ProjectRule } from '../model/index.ts';
import type { Vocabulary } from '../schema/index.ts';
import type { Diagnostic, Range } from '../text/index.ts';

/** Something that the server of a connector has and that a block may name, such as a table. */
export interface KnownTarget {
  readonly name: string;
  /** What it is at its server. */
  readonly kind: string;
  /** Names of its columns in their order, the last ones left out where there are too many; absent: it is without columns. */
  readonly columns?: readonly string[] | undefined;
}

/** What the language service knows of the language that it serves; it knows no word of it itself. */
export interface LanguageSupport {
  readonly vocabulary: Vocabulary;
  readonly host: ConfigurationHost;
  /** Functions whose call makes a plain text of an argument an expression. */
  readonly expressionFunctions: Iterable<string>;
  /** Finds what the files add to the vocabulary. Absent: they add nothing. */
  readonly extend?: Extend | undefined;
  /** Functions that the files add to expressions. Absent: they add nothing. */
  readonly functions?: ((project: Project) => readonly FunctionDocumentation[]) | undefined;
  /** Checks across blocks. */
  readonly rules: readonly ProjectRule[];
  /** What is wrong with the expressions of a project. */
  readonly expressions: (project: Project) => readonly Diagnostic[];
  /** The variables of a position that reads these names, those that exist everywhere included. */
  readonly variables: (names: readonly string[]) => readonly VariableDeclaration[];
  /** What a named operation of a connector means (`POST /orders`), undefined when it declares no such name. */
  readonly operation: (connector: ConnectorDeclaration, name: string) => string | undefined;
  /**
   * The parameters of what a block asks a connector for, given the constant texts of its attributes by their names; no
   * connector when the block and those around it name none.
   */
  readonly parameters: (
    connector: ConnectorDeclaration | undefined,
    texts: ReadonlyMap<string, string>,
  ) => readonly Parameter[];
  /** The type of an expression, undefined when it is not valid. */
  readonly typeOf: (source: string, variables: readonly VariableDeclaration[]) => CelType | undefined;
  /** Every place where a running flow can stop. */
  readonly stops: (project: Project) => readonly Stop[];
  /** What a picture of a service shows. */
  readonly outline: OutlineSupport;
}

/** A value that a call takes by name. */
export interface Parameter {
  readonly name: string;
  /** In a few words: `integer; required`. */
  readonly detail: string;
  readonly doc: string | undefined;
}

/**
 * A place where a flow can stop: a stage, or with `ruleIndex` one of its rules (docs/specification/debugging.md#stops).
 */
export interface Stop {
  readonly flow: string;
  readonly stage: string;
  /** Label of the block or of the destination; empty when the stage needs none. */
  readonly name: string;
  readonly ruleIndex: number | undefined;
  readonly file: string;
  readonly range: Range;
}

export interface OutlineSupport {
  /** What may be written in a flow, in the order in which a message meets it. */
  readonly stages: readonly StagePlace[];
  /** Other root blocks that are drawn as flows are, by their word, with what may be written in them. */
  readonly drawnAsFlows?: Readonly<Record<string, readonly StagePlace[]>> | undefined;
  /** A connector in a few words: `http, 4 ops`. */
  readonly connector: (declaration: ConnectorDeclaration) => string;
  /**
   * Root blocks without a name that are drawn as connectors are, by their word, with what they are in a few words: the
   * flows that they name are run by them.
   */
  readonly drawnAsConnectors?: Readonly<Record<string, (project: Project) => string>> | undefined;
  /** Root blocks that act on flows chosen by their names, and on which of the flows with these names they act. */
  readonly aspects?: ((project: Project, flows: readonly string[]) => readonly OutlineAspect[]) | undefined;
  /** What the service answers beside the routes of flows. */
  readonly endpoints?: ((project: Project) => readonly OutlineEndpoint[]) | undefined;
}

/** A block that acts on many flows, as a canvas marks it. */
export interface OutlineAspect {
  /** `aspect audit`: the same as long as the name is. */
  readonly id: string;
  readonly name: string;
  /** When it acts, in a word. */
  readonly detail: string;
  readonly file: string;
  /** The whole block. */
  readonly range: { readonly start: number; readonly end: number };
  /** Names of the flows that it acts on. */
  readonly flows: readonly string[];
}

/** A route that no flow answers. */
export interface OutlineEndpoint {
  /** By which the configuration names it. */
  readonly name: string;
  readonly method: string;
  /** With parameters as `:name`. */
  readonly path: string;
  /** The members of its body by name; none: it reads no body. */
  readonly body: Readonly<Record<string, EndpointMember>>;
}

export interface EndpointMember {
  readonly type: string;
  readonly required: boolean;
  /** A credential. */
  readonly secret?: boolean | undefined;
  readonly doc: string;
}

/** The lanes of a flow, in the order in which they are drawn: what admits, fetches, builds and forwards. */
export type StageFamily = 'gate' | 'gather' | 'shape' | 'deliver';

/** One kind of stage and where it is written. */
export interface StagePlace {
  /** Words of blocks from the flow inwards; the last one may be an attribute. */
  readonly path: readonly string[];
  /** The word it is called by. */
  readonly word: string;
  readonly family: StageFamily;
  /** The stages that stops name which are written here; empty where a flow cannot stop. */
  readonly stages: readonly string[];
  /** The attribute that says most about it in a few words; absent: none does, or what is written at `path` itself. */
  readonly detail?: string | undefined;
}

/** What may be written in a root block that is drawn as a flow; undefined for blocks that are not. */
export function placesOf(
  { stages, drawnAsFlows = {} }: OutlineSupport,
  word: string,
): readonly StagePlace[] | undefined {
  if (word === 'flow') return stages;
  return Object.hasOwn(drawnAsFlows, word) ? drawnAsFlows[word] : undefined;
}
