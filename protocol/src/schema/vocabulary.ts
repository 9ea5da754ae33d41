import type { BlockSpec } from './block.ts';
import type { ConnectorSpec } from './connector.ts';

/** Everything that may be written in a configuration, as data. */
export interface Vocabulary {
  /** Root blocks by word; `connector` is not among them. */
  readonly blocks: Readonly<Record<string, BlockSpec>>;
  readonly connectors: readonly ConnectorSpec[];
  /** The body of a connector that chooses between `profile` blocks, those aside. */
  readonly profiled: BlockSpec;
  /** What every `profile` block may say beside what its connector type takes. */
  readonly everyProfile: BlockSpec;
  /** Names that are declared by other means than a block of the files, such as a plugin, by the word of the block. */
  readonly provided?: Readonly<Record<string, readonly string[]>> | undefined;
  /** Known words that are not built: refused by name. */
  readonly unavailable: {
    readonly blocks: readonly string[];
    /** Connector types; `type/driver` for a single driver. */
    readonly connectors: readonly string[];
    /** What to say about a block beyond that it is not there. */
    readonly help?: Readonly<Record<string, string>> | undefined;
  };
}

/** The outcome of asking which connector `type` and `driver` mean. */
export type ConnectorChoice =
  | { readonly found: ConnectorSpec }
  | { readonly missing: 'unknown-type' | 'unavailable-type'; readonly known: readonly string[] }
  | {
      readonly missing: 'unknown-driver' | 'unavailable-driver' | 'driver-required';
      readonly known: readonly string[];
    };

/**
 * Finds the connector for a `type` and `driver` as written, in any case and by any alias. `isWritten`: whether a block
 * or attribute of that name is written, which may imply a driver.
 */
export function chooseConnector(
  vocabulary: Vocabulary,
  type: string,
  driver: string | undefined,
  isWritten: (word: string) => boolean = () => false,
): ConnectorChoice {
  const wanted = type.toLowerCase();
  const ofType = vocabulary.connectors.filter((spec) => spells(wanted, spec.type, spec.typeAliases));
  const unavailable = vocabulary.unavailable.connectors;
  if (ofType.length === 0) {
    const known = [...new Set(vocabulary.connectors.map((spec) => spec.type))];
    return { missing: unavailable.includes(wanted) ? 'unavailable-type' : 'unknown-type', known };
  }
  const drivers = ofType.flatMap((spec) => (spec.driver === undefined ? [] : [spec.driver]));
  if (driver === undefined || driver === '') {
    const implied = ofType.find(({ impliedBy = [] }) => [impliedBy].flat().some((word) => isWritten(word)));
    const only = implied ?? ofType.find((spec) => spec.driver === undefined || spec.defaultDriver);
    return only ? { found: only } : { missing: 'driver-required', known: drivers };
  }
  const name = driver.toLowerCase();
  const found = ofType.find((spec) => spec.driver !== undefined && spells(name, spec.driver, spec.driverAliases));
  if (found) return { found };
  const type0 = (ofType[0] as ConnectorSpec).type;
  return {
    missing: unavailable.includes(`${type0}/${name}`) ? 'unavailable-driver' : 'unknown-driver',
    known: drivers,
  };
}

/** The attribute by which a connector of this type says its driver. */
export function driverWordOf({ connectors }: Vocabulary, type: string | undefined): string {
  const wanted = type?.toLowerCase() ?? '';
  return connectors.find((spec) => spells(wanted, spec.type, spec.typeAliases))?.driverWord ?? 'driver';
}

function spells(word: string, canonical: string, aliases: readonly string[]): boolean {
  return word === canonical || aliases.includes(word);
}
