import {
  type AttributeSpec,
  type BlockSpec,
  type ConnectorSpec,
  chooseConnector,
  driverWordOf,
  oneOf,
  type Vocabulary,
} from '../schema/index.ts';
import { type Block, literalText, type SyntaxTree } from '../syntax/index.ts';
import type { WrittenConnectors } from './written-connectors.ts';

/**
 * What may be written in a connector block or in a profile of one, given what `type` and `driver` say so far. With
 * `mayHaveProfiles` a block that holds profiles is read as one that chooses between them.
 */
export function connectorOf(
  block: Block,
  vocabulary: Vocabulary,
  mayHaveProfiles: boolean,
): { readonly spec: BlockSpec; readonly connector: ConnectorSpec | undefined } {
  const hasProfiles = block.body.items.some((item) => item.kind === 'block' && item.type.text === 'profile');
  if (mayHaveProfiles && hasProfiles) {
    const { profiled, everyProfile } = vocabulary;
    const profile: BlockSpec = {
      ...everyProfile,
      label: { name: 'name', doc: 'Name of the profile.' },
      repeated: true,
    };
    return { spec: { ...profiled, blocks: { ...profiled.blocks, profile } }, connector: undefined };
  }
  const type = textOf(block, 'type');
  const connector = chosenBy(block, vocabulary);
  const drivers = driversOf(type, vocabulary);
  const choices: Record<string, AttributeSpec> = {
    type: oneOf('What the connector talks to.', typesOf(vocabulary), { required: true }),
    ...(drivers.length > 0
      ? {
          [driverWordOf(vocabulary, type)]: oneOf('Which kind of it.', drivers, {
            required: !hasDefault(type, vocabulary),
          }),
        }
      : {}),
  };
  const extra = mayHaveProfiles ? undefined : vocabulary.everyProfile;
  const config = connector?.config;
  const operation = connector?.operation && {
    ...connector.operation,
    label: connector.operation.label ?? { name: 'name', doc: 'Name that flows use.' },
    repeated: true,
  };
  return {
    connector,
    spec: {
      ...(config ?? vocabulary.profiled),
      doc: config?.doc ?? 'Something outside of the service: a server, a database, a cache.',
      label: { name: 'name', doc: 'Name by which flows call the connector.' },
      attributes: { ...choices, ...extra?.attributes, ...config?.attributes },
      blocks: { ...extra?.blocks, ...config?.blocks, ...(operation ? { operation } : {}) },
      fields: config?.fields,
      rules: config?.rules ?? [],
    },
  };
}

/** The connectors that a file declares with a type that exists. */
export function writtenConnectors({ body }: SyntaxTree, vocabulary: Vocabulary): WrittenConnectors {
  const found = new Map<string, readonly ConnectorSpec[]>();
  for (const item of body.items) {
    const name = item.kind === 'block' && item.type.text === 'connector' ? item.labels[0]?.text : undefined;
    if (item.kind !== 'block' || name === undefined) continue;
    const profiles = item.body.items.flatMap((one) =>
      one.kind === 'block' && one.type.text === 'profile' ? [one] : [],
    );
    const specs = (profiles.length > 0 ? profiles : [item]).flatMap((block) => chosenBy(block, vocabulary) ?? []);
    if (specs.length > 0) found.set(name, specs);
  }
  return found;
}

/** The connector that `type` and `driver` of a block mean, as far as they say it. */
function chosenBy(block: Block, vocabulary: Vocabulary): ConnectorSpec | undefined {
  const type = textOf(block, 'type');
  const isWritten = (word: string) =>
    block.body.items.some((item) => (item.kind === 'block' ? item.type.text : item.name.text) === word);
  const choice = type && chooseConnector(vocabulary, type, textOf(block, driverWordOf(vocabulary, type)), isWritten);
  return choice && 'found' in choice ? choice.found : undefined;
}

function textOf(block: Block, name: string): string | undefined {
  for (const item of block.body.items)
    if (item.kind === 'attribute' && item.name.text === name) return literalText(item.value)?.trim();
  return undefined;
}

/** Whether the type alone says what the connector is. */
function hasDefault(type: string | undefined, vocabulary: Vocabulary): boolean {
  return 'found' in chooseConnector(vocabulary, type ?? '', undefined);
}

function typesOf({ connectors }: Vocabulary): readonly string[] {
  return [...new Set(connectors.map(({ type }) => type))];
}

function driversOf(type: string | undefined, { connectors }: Vocabulary): readonly string[] {
  const wanted = type?.toLowerCase() ?? '';
  return connectors.flatMap((spec) =>
    spec.driver !== undefined && (spec.type === wanted || spec.typeAliases.includes(wanted)) ? [spec.driver] : [],
  );
}
