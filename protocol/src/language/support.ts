import type { VariableDeclaration } from '../cel/index.ts';
import type { ConfigurationHost, Project, ProjectRule } from '../model/index.ts';
import type { Vocabulary } from '../schema/index.ts';
import type { Diagnostic, Range } from '../text/index.ts';

/** What the language service is told about the language that it serves; it knows no word of it itself. */
export interface LanguageSupport {
  readonly vocabulary: Vocabulary;
  readonly host: ConfigurationHost;
  /** Functions whose call makes a plain text of an argument an expression. */
  readonly expressionFunctions: Iterable<string>;
  /** Checks across blocks. */
  readonly rules: readonly ProjectRule[];
  /** What is wrong with the expressions of a project. */
  readonly expressions: (project: Project) => readonly Diagnostic[];
  /** The variables of a position that reads these names, those that exist everywhere included. */
  readonly variables: (names: readonly string[]) => readonly VariableDeclaration[];
  /** Every place where a running flow can stop. */
  readonly stops: (project: Project) => readonly Stop[];
}

/** A place where a flow can stop: a stage, or with `ruleIndex` one of its rules (decisions 36). */
export interface Stop {
  readonly flow: string;
  readonly stage: string;
  /** Label of the block or of the destination; empty when the stage needs none. */
  readonly name: string;
  readonly ruleIndex: number | undefined;
  readonly file: string;
  readonly range: Range;
}
