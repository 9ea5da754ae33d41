import {
  type BlockSpec,
  type ConnectorSpec,
  chooseConnector,
  driverWordOf,
  type Origin,
  type Vocabulary,
} from '../schema/index.ts';
import { closest } from '../text/index.ts';
import { decodeBlock, decodeBody } from './decode.ts';
import type { DecodeContext } from './decode-context.ts';
import { refuseEqualNames } from './equal-names.ts';
import { evaluate } from './evaluation/evaluate.ts';
import { EvaluationError } from './evaluation/scope.ts';
import { isAttribute, isBlock, itemsOf, place, type SourcedBlock, type SourcedItem, wordOf } from './items.ts';
import type { ConnectorDeclaration, OperationDeclaration } from './project.ts';
import type { Remember } from './remember.ts';
import { type Report, withoutMissing } from './report.ts';

/** Decodes every `connector` block by the spec that its `type` and `driver` choose. */
export function decodeConnectors(
  blocks: readonly SourcedBlock[],
  vocabulary: Vocabulary,
  report: Report,
  remember: Remember,
): ReadonlyMap<string, ConnectorDeclaration> {
  refuseEqualNames('connector', blocks, report);
  const connectors = new Map<string, ConnectorDeclaration>();
  for (const sourced of blocks) {
    const declaration = remember(sourced.item, (context) => {
      const forgiving = sourced.item.complete ? context : { ...context, report: withoutMissing(context.report) };
      return decodeConnector(sourced, vocabulary, forgiving, true);
    });
    if (declaration && !connectors.has(declaration.name)) connectors.set(declaration.name, declaration);
  }
  return connectors;
}

/** What may be written as the type of a connector that chooses between profiles; its profile blocks say as much. */
const profiledType = 'profiled';

function decodeConnector(
  sourced: SourcedBlock,
  vocabulary: Vocabulary,
  context: DecodeContext,
  mayHaveProfiles: boolean,
): ConnectorDeclaration | undefined {
  const { item } = sourced;
  const label = item.labels[0];
  const at = place(sourced, item.type);
  const name = label?.text ?? '';
  const title = `${item.type.text} "${name}"`;
  const items = itemsOf(sourced);
  const nameOrigin = place(sourced, label ?? item.type);
  const base = { name, origin: place(sourced, item), nameOrigin };
  if (!label)
    context.report('missing-label', `${item.type.text} needs a name`, at, {
      help: `Write ${item.type.text} "name" { … }.`,
    });
  const profiles = items.filter(isBlock).filter((inner) => inner.item.type.text === 'profile');
  const quiet = { ...context, report: () => undefined };
  const type = readWord('type', items, quiet)?.text;
  const choices = new Set(['type', driverWordOf(vocabulary, type)]);
  const isChoice = (one: SourcedItem) => isAttribute(one) && choices.has(one.item.name.text);
  const saysProfiled = mayHaveProfiles && type?.toLowerCase() === profiledType;
  if (saysProfiled && profiles.length === 0)
    context.report('missing-block', `${title} is of type "${profiledType}" and has no profile`, at, {
      help: 'Write profile "name" { … } into it for each connector to choose from.',
    });
  if (saysProfiled || (profiles.length > 0 && mayHaveProfiles)) {
    for (const choice of items.filter(isChoice).filter((one) => !(saysProfiled && wordOf(one) === 'type')))
      context.report(
        'conflicting-attributes',
        `${title} chooses between profiles, so it has no ${wordOf(choice)} of its own`,
        place(choice, choice.item),
        { help: `Move ${wordOf(choice)} into the profile blocks.` },
      );
    const values = decodeBody(
      {
        items: items.filter((inner) => !isChoice(inner) && !profiles.includes(inner as SourcedBlock)),
        title,
        origin: nameOrigin,
        label: name,
      },
      vocabulary.profiled,
      context,
    );
    refuseEqualNames('profile', profiles, context.report);
    const decoded = profiles.flatMap((profile) => decodeConnector(profile, vocabulary, context, false) ?? []);
    return {
      ...base,
      spec: undefined,
      values,
      operations: new Map(),
      profiles: new Map(decoded.map((profile) => [profile.name, profile])),
    };
  }
  const spec = findSpec(items, title, nameOrigin, vocabulary, context);
  if (!spec) return undefined;
  const operations = items.filter(isBlock).filter((inner) => inner.item.type.text === 'operation');
  const others = items.filter(
    (inner) => !isChoice(inner) && !(spec.operation && operations.includes(inner as SourcedBlock)),
  );
  const body = mayHaveProfiles ? spec.config : withProfileParts(spec.config, vocabulary);
  return {
    ...base,
    spec,
    values: decodeBody({ items: others, title, origin: nameOrigin, label: name }, body, context),
    operations: spec.operation ? decodeOperations(operations, spec.operation, context) : new Map(),
    profiles: new Map(),
  };
}

/** A profile takes everything its own type takes, and what the vocabulary says of every profile. */
function withProfileParts(config: BlockSpec, vocabulary: Vocabulary): BlockSpec {
  const extra = vocabulary.everyProfile;
  return {
    ...config,
    attributes: { ...extra.attributes, ...config.attributes },
    blocks: { ...extra.blocks, ...config.blocks },
  };
}

function decodeOperations(
  blocks: readonly SourcedBlock[],
  spec: BlockSpec,
  context: DecodeContext,
): ReadonlyMap<string, OperationDeclaration> {
  refuseEqualNames('operation', blocks, context.report);
  const operations = new Map<string, OperationDeclaration>();
  for (const sourced of blocks) {
    const name = sourced.item.labels[0]?.text ?? '';
    if (!operations.has(name))
      operations.set(name, {
        name,
        origin: place(sourced, sourced.item.labels[0] ?? sourced.item.type),
        values: decodeBlock(sourced, spec, context),
      });
  }
  return operations;
}

/** Which connector `type` and `driver` mean; problems are reported with what exists. */
function findSpec(
  items: readonly SourcedItem[],
  title: string,
  at: Origin,
  vocabulary: Vocabulary,
  context: DecodeContext,
): ConnectorSpec | undefined {
  const type = readWord('type', items, context);
  const driverWord = driverWordOf(vocabulary, type?.text);
  const driver = readWord(driverWord, items, context);
  if (type === undefined || type.text === '') {
    const types = [...new Set(vocabulary.connectors.map((spec) => spec.type))].join(', ');
    const because = type?.unset === undefined ? '' : `, and the variable ${type.unset} is not set`;
    context.report('missing-attribute', `${title} needs the attribute type${because}`, type?.at ?? at, {
      help: `One of ${types}.`,
    });
    return undefined;
  }
  const isWritten = (word: string) =>
    items.some(({ item }) => (item.kind === 'block' ? item.type.text : item.name.text) === word);
  const choice = chooseConnector(vocabulary, type.text, driver?.text, isWritten);
  if ('found' in choice) {
    if (driver && choice.found.driver === undefined && !choice.found.driverAliases.includes(driver.text.toLowerCase()))
      context.report('unknown-attribute', `${title}: connector type "${choice.found.type}" has no drivers`, driver.at, {
        help: 'Remove the attribute driver.',
      });
    return choice.found;
  }
  const word = choice.missing.endsWith('type') ? type : (driver ?? { text: '', at });
  const what = choice.missing.endsWith('type') ? 'connector type' : `${driverWord} of connector type "${type.text}"`;
  if (choice.missing.startsWith('unavailable'))
    context.report('not-available', `${what} "${word.text}" is not available in this version`, word.at, {
      help: `These are: ${choice.known.join(', ')}.`,
    });
  else if (choice.missing === 'driver-required') {
    const because = driver?.unset === undefined ? '' : `, and the variable ${driver.unset} is not set`;
    context.report('missing-attribute', `${title} needs the attribute ${driverWord}${because}`, driver?.at ?? at, {
      help: `One of ${choice.known.join(', ')}.`,
    });
  } else {
    const near = closest(word.text, choice.known);
    const all = `These exist: ${choice.known.join(', ')}.`;
    context.report(choice.missing, `there is no ${what} "${word.text}"`, word.at, {
      help: near ? `Did you mean "${near}"? ${all}` : all,
    });
  }
  return undefined;
}

/** `type` or `driver` as written. `unset` names the variable that emptied it. */
interface WrittenWord {
  readonly text: string;
  readonly at: Origin;
  readonly unset?: string | undefined;
}

function readWord(name: string, items: readonly SourcedItem[], context: DecodeContext): WrittenWord | undefined {
  const found = items.filter(isAttribute).find(({ item }) => item.name.text === name);
  if (!found?.item.value) return undefined;
  const at = place(found, found.item.value);
  let unset: string | undefined;
  const scope = { host: context.host, variables: context.variables, onUnset: (variable: string) => (unset = variable) };
  try {
    const value = evaluate(found.item.value, scope);
    if (typeof value === 'string') return { text: value.trim(), at, unset };
    context.report('wrong-kind', `${name} must be a text`, at);
  } catch (error) {
    if (!(error instanceof EvaluationError)) throw error;
    context.report(error.code, error.message, { file: found.file, range: error.range }, { help: error.help });
  }
  return undefined;
}
