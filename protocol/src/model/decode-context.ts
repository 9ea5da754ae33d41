import type { ConnectorSpec, Origin } from '../schema/index.ts';
import type { ConfigurationHost } from './host.ts';
import type { SourcedItem } from './items.ts';
import type { Report } from './report.ts';

/** A name that must be the name of a block of some kind. */
export interface Link {
  readonly refersTo: string;
  readonly name: string;
  readonly origin: Origin;
}

/** What decoding bodies needs and gathers. */
export interface DecodeContext {
  readonly host: ConfigurationHost;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly report: Report;
  readonly links: Link[];
  readonly expressionFunctions: ReadonlySet<string>;
  /** The body of a reusable definition (`retry "persistent"`), undefined when no definition has that name. */
  definition(word: string, name: string): readonly SourcedItem[] | undefined;
  definitionNames(word: string): readonly string[];
  /**
   * What a connector acts by: one spec, or one for each profile. Undefined when no connector has that name, or its
   * declaration is wrong.
   */
  connector(name: string): readonly ConnectorSpec[] | undefined;
  /** Every connector of the language. */
  readonly connectors: readonly ConnectorSpec[];
}
