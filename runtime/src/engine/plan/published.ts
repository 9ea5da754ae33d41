import type { ConnectorDeclaration, Project } from '@svc/protocol/model';
import { isWritten, type Origin, originOf } from '@svc/protocol/schema';
import { resolveOperation } from '../../connectors/core/operations.ts';
import type { Published, PublishedCall, PublishedFlow, PublishedPlace } from '../../foundation/contracts/published.ts';
import { resolveAction } from '../flow/aspects/action-target.ts';
import { aspect } from '../flow/aspects/spec.ts';
import { type FlowDeclaration, flowsOf } from '../flow/declarations.ts';
import { targetPlaces } from '../flow/flow-places.ts';
import { parseReturns } from '../flow/returns.ts';
import { type } from '../flow/stages/validate/spec.ts';
import { decodeTypes } from '../flow/stages/validate/type-rules.ts';
import { verbOfWord } from '../flow/verb.ts';
import { writtenParameters } from '../flow/written-parameters.ts';

/** A connector, or a profile of one. */
interface Publisher {
  /** By which blocks name it: of a profile, that of its connector. */
  readonly name: string;
  readonly connector: ConnectorDeclaration;
  /** Whether it is a profile that is used only when it is selected. */
  readonly isSelected: boolean;
}

/** Every connector that publishes types, or names files that say what it serves, with what the configuration says of it. */
export function publishedOf(project: Project): readonly (Publisher & { readonly published: Published })[] {
  const typed = [...project.connectors.values()]
    .flatMap(withProfiles)
    .filter(
      ({ connector: { spec } }) => spec?.source?.typed === true || (spec?.source ?? spec?.target)?.checksFiles === true,
    );
  if (typed.length === 0) return [];
  const types = decodeTypes(project, () => undefined);
  const flows = flowsOf(project);
  return typed.map((publisher) => {
    const { name, connector } = publisher;
    const own = flows.filter(({ values }) => values.from?.connector === name);
    const sent = flows.flatMap(({ name: flow, values }) =>
      values.to.flatMap(({ connector: to, operation, target }) =>
        to === name
          ? [{ flow, operation, target: target?.kind === 'constant' ? String(target.value) : undefined }]
          : [],
      ),
    );
    return {
      ...publisher,
      published: {
        connector: name,
        config: connector.values,
        types,
        flows: own.map((flow) => flowOf(flow, connector)),
        sent,
        asked:
          connector.spec?.target?.checksFiles === true
            ? [...callsOf(flows, publisher), ...actionsOf(project, publisher)]
            : [],
      },
    };
  });
}

function withProfiles(connector: ConnectorDeclaration): readonly Publisher[] {
  const { name, profiles } = connector;
  const { default: standard } = connector.values as { readonly default?: string };
  const own = [...profiles.values()].map((profile) => ({
    name,
    connector: profile,
    isSelected: profile.name !== standard,
  }));
  return [{ name, connector, isSelected: false }, ...own];
}

function callsOf(flows: readonly FlowDeclaration[], { name, connector }: Publisher): readonly PublishedCall[] {
  return flows.flatMap((flow) =>
    targetPlaces(flow).flatMap((place): PublishedCall[] => {
      const { values } = place;
      if (values.connector !== name) return [];
      const target = 'target' in values && values.target?.kind === 'constant' ? String(values.target.value) : undefined;
      const named = resolveOperation(connector, values.operation) ?? resolveOperation(connector, target);
      const isTarget = named === undefined && isInTarget(values.operation, target);
      const operation = named?.operation ?? (isTarget ? target : values.operation);
      const word = isTarget || !isWritten(values, 'operation') ? 'target' : 'operation';
      const params = writtenParameters(place)?.map(({ name, at }) => ({ name, origin: at })) ?? [];
      return operation === undefined ? [] : [{ operation, origin: originOf(values, word as never), params }];
    }),
  );
}

/** Whether the target says what is asked for: a word of databases only says what becomes of it. */
function isInTarget(operation: string | undefined, target: string | undefined): boolean {
  return target !== undefined && (operation === undefined || verbOfWord(operation) !== undefined);
}

/** What the actions of aspects ask for. */
function actionsOf(project: Project, { name, connector }: Publisher): readonly PublishedCall[] {
  return project.all('aspect', aspect).flatMap(({ values: { action } }): PublishedCall[] => {
    if (action === undefined || action.connector !== name) return [];
    const { operation, target } = resolveAction(action, { operation: (word) => resolveOperation(connector, word) });
    const isWord = isWritten(action, 'operation');
    const isTarget = isInTarget(isWord ? operation : undefined, target);
    const asked = isTarget ? target : operation;
    if (asked === undefined) return [];
    const word = isTarget && isWritten(action, 'target') ? 'target' : isWord ? 'operation' : undefined;
    return [{ operation: asked, origin: originOf(action, word), params: [] }];
  });
}

function flowOf({ name, values }: FlowDeclaration, connector: ConnectorDeclaration): PublishedFlow {
  const { from, returns, entity } = values;
  const named = from?.operation === undefined ? undefined : resolveOperation(connector, from.operation);
  return {
    name,
    operation: named ? named.operation : from?.operation,
    returns: returns === undefined ? undefined : parseReturns(returns),
    entity,
    words: from?.words.fixed ?? {},
  };
}

/** Where a place of the configuration is. */
export function originOfPlace(place: PublishedPlace, project: Project, connector: ConnectorDeclaration): Origin {
  switch (place.of) {
    case 'file':
      return { file: place.path, range: { start: place.start, end: place.end } };
    case 'call':
      return place.origin;
    case 'connector':
      return inBlock(connector.values, place.path ?? []) ?? connector.nameOrigin;
    case 'flow': {
      const flow = flowsOf(project).find(({ name }) => name === place.name);
      const { from } = flow?.values ?? {};
      if (flow !== undefined && place.word === 'to') return originOf(flow.values, 'to');
      if (flow === undefined || from === undefined) return connector.nameOrigin;
      if (place.word !== 'operation') return originOf(flow.values, place.word);
      return originOf(from, isWritten(from, 'operation') ? 'operation' : 'connector');
    }
    case 'type': {
      const found = project.all('type', type).find(({ name }) => name === place.name);
      if (found === undefined) return connector.nameOrigin;
      const { values, nameOrigin } = found;
      if (place.word !== undefined && isWritten(values, place.word as '_key'))
        return originOf(values, place.word as '_key');
      return values.fields.find(({ name }) => name === place.field)?.origin ?? nameOrigin;
    }
  }
}

/** Where the word at the end of a path is written; undefined when it is not. */
function inBlock(values: ConnectorDeclaration['values'], path: readonly string[]): Origin | undefined {
  const [word, ...further] = path;
  if (word === undefined) return undefined;
  if (further.length === 0) return isWritten(values, word as never) ? originOf(values, word as never) : undefined;
  const inner = (values as Readonly<Record<string, unknown>>)[word];
  return inner === undefined ? undefined : inBlock(inner as ConnectorDeclaration['values'], further);
}
