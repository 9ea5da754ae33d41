import type { BlockSpec } from '@svc/protocol/schema';
import { connectors } from '../../../runtime/src/connectors/catalog.ts';
import type { Row, Written } from './row.ts';

/**
 * Attributes whose words choose between parts of the program: how messages are framed, packed, secured and spoken. Those of
 * the other attributes are one part each, and `format` has a table of its own.
 */
const choosing = new Set([
  'protocol',
  'compression',
  'mechanism',
  'mode',
  'soap_version',
  'protocol_version',
  'input_format',
  'output_format',
  'schema_registry.format',
  'storage.driver',
  'signature_algorithm',
]);

/** A word of the catalogue that a row has to choose. */
export interface Choice {
  readonly connector: string;
  readonly attribute: string;
  readonly value: unknown;
}

/** Every word of the catalogue that chooses a part of the program. */
export const choices: readonly Choice[] = Object.entries(connectors).flatMap(([connector, { config }]) =>
  choicesOf(config, []).map((choice) => ({ connector, ...choice })),
);

function choicesOf(block: BlockSpec, path: readonly string[]): Omit<Choice, 'connector'>[] {
  const own = Object.entries(block.attributes).flatMap(([name, { choices: values = [] }]) => {
    const attribute = [...path, name].join('.');
    return choosing.has(name) || choosing.has(attribute) ? values.map((value) => ({ attribute, value })) : [];
  });
  const inner = Object.entries(block.blocks).flatMap(([name, each]) => choicesOf(each, [...path, name]));
  return [...own, ...inner];
}

/** Whether a row has chosen a word: by itself, or by leaving the attribute of its own block out. */
export function isChosen({ connector, attribute, value }: Choice, rows: readonly Row[]): boolean {
  const path = attribute.split('.');
  return rows.some(
    (row) => row.connector === connector && (valueAt(row.chosen, path) ?? usual(connector, path)) === value,
  );
}

function valueAt(written: Written | undefined, path: readonly string[]): unknown {
  return path.reduce<unknown>((at, name) => (at as Written | undefined)?.[name], written);
}

/** The default of an attribute that is not in a further block. */
function usual(connector: string, path: readonly string[]): unknown {
  const [name = ''] = path;
  return path.length === 1 ? connectors[connector]?.config.attributes[name]?.default : undefined;
}
