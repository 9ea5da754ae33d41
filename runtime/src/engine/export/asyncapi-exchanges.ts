import type { ConnectorDeclaration, Project } from '@svc/protocol/model';
import type { ArgumentSource, ConnectorSpec, ConnectorValues } from '@svc/protocol/schema';
import { resolveOperation } from '../../connectors/core/operations.ts';
import { aspect } from '../flow/aspects/spec.ts';
import { type FlowDeclaration, flowsOf } from '../flow/declarations.ts';
import { targetPlaces } from '../flow/flow-places.ts';

/** What a flow takes from or sends over a channel of a connector. */
export interface Exchange {
  /** As the service does it. */
  readonly action: 'receive' | 'send';
  readonly connector: ConnectorDeclaration;
  /** Undefined: it depends on the message. */
  readonly address: string | undefined;
  /** The flow or aspect, and the block of it. */
  readonly owner: string;
  readonly place: string | undefined;
  /** The type of its payload, as `validate` or a named operation says it. */
  readonly type: string | undefined;
  /** Names of the fields of its payload, where nothing else is known of it. */
  readonly fields: readonly string[];
  readonly headers: readonly string[];
  readonly format: string | undefined;
}

/** A block that sends, as far as it is described. */
interface Sending {
  readonly connector: string;
  readonly operation?: string | undefined;
  readonly target?: ArgumentSource | string | undefined;
  readonly body?: ArgumentSource | undefined;
  readonly params?: ArgumentSource | undefined;
  readonly transform?: { readonly fields: readonly { readonly name: string }[] } | undefined;
  readonly words?: { readonly fixed: ConnectorValues } | undefined;
}

/** Whether messages of this connector are described: those of databases and files are not exchanged with anybody. */
function isDescribed(spec: ConnectorSpec | undefined): spec is ConnectorSpec {
  return spec?.channels !== undefined || spec?.kind === 'queue';
}

/** Everything that the flows, sagas and aspects of a project exchange over channels, in written order. */
export function exchangesOf(project: Project): readonly Exchange[] {
  return [
    ...flowsOf(project).flatMap((flow) => [...takenBy(flow, project), ...sentBy(flow, project)]),
    ...project.all('aspect', aspect).flatMap(({ name, values: { action } }) => {
      if (action?.connector === undefined) return [];
      return sent({ ...action, connector: action.connector }, { owner: name, place: 'action', fields: [] }, project);
    }),
  ];
}

/** Where the messages of the flows of a connector come from, as far as that is known. */
export function takenAddresses(project: Project, connector: string): readonly string[] {
  const taken = flowsOf(project).flatMap((flow) => takenBy(flow, project));
  const own = taken.filter((exchange) => exchange.connector.name === connector);
  return [...new Set(own.flatMap(({ address }) => (typeof address === 'string' ? address : [])))];
}

/** The types that flows check messages of a connector against: of those at an address, where some have it. */
export function takenTypes(project: Project, connector: string, address: string | undefined): readonly string[] {
  const taken = flowsOf(project).flatMap((flow) => takenBy(flow, project));
  const own = taken.filter((exchange) => exchange.connector.name === connector);
  const there = own.filter((exchange) => exchange.address === address);
  return [...new Set((there.length > 0 ? there : own).flatMap(({ type }) => type ?? []))];
}

function takenBy({ name, values }: FlowDeclaration, project: Project): readonly Exchange[] {
  const { from, validate } = values;
  const connector = from && project.connectors.get(from.connector);
  const spec = connector?.spec;
  if (connector === undefined || spec?.source?.style !== 'stream' || !isDescribed(spec)) return [];
  const named = resolveOperation(connector, from?.operation);
  const operation = named?.operation ?? from?.operation;
  const { taken } = spec.channels ?? {};
  const address = taken ? taken(operation, connector.values as ConnectorValues) : operation;
  const format = from?.words.fixed['format'];
  return [
    {
      action: 'receive',
      connector,
      address,
      owner: name,
      place: undefined,
      type: validate?.input ?? named?.input,
      fields: [],
      headers: [],
      format: typeof format === 'string' ? format : undefined,
    },
  ];
}

function sentBy(flow: FlowDeclaration, project: Project): readonly Exchange[] {
  const { transform, validate } = flow.values;
  const fields = transform?.fields.map(({ name }) => name) ?? [];
  // What is not rebuilt is sent as it came.
  const type = fields.length === 0 ? validate?.input : undefined;
  return targetPlaces(flow).flatMap((place) => {
    if (place.kind === 'enrich' || place.kind === 'batch') return [];
    const of = place.kind === 'to' ? { fields, type } : { fields: [] };
    return sent(place.values as unknown as Sending, { owner: flow.name, place: place.title, ...of }, project);
  });
}

/** Where something is sent, and what is known of it there. */
interface SendingPlace {
  readonly owner: string;
  readonly place: string;
  readonly fields: readonly string[];
  readonly type?: string | undefined;
}

/** What goes to a connector with profiles goes to one of them: each is described, as a server of its own. */
function sent(values: Sending, at: SendingPlace, project: Project): readonly Exchange[] {
  const connector = project.connectors.get(values.connector);
  if (connector === undefined) return [];
  if (connector.profiles.size === 0) return sentTo(connector, values, at);
  return [...connector.profiles].flatMap(([name, profile]) =>
    sentTo({ ...profile, name: `${connector.name}.${name}` }, values, { ...at, place: `${at.place}.${name}` }),
  );
}

function sentTo(
  connector: ConnectorDeclaration,
  values: Sending,
  { owner, place, ...flow }: SendingPlace,
): readonly Exchange[] {
  const { spec } = connector;
  if (spec?.target === undefined || !isDescribed(spec)) return [];
  const config = connector.values as ConnectorValues;
  const named = resolveOperation(connector, values.operation);
  const isDynamic = typeof values.target === 'object' && values.target.kind !== 'constant';
  const written = typeof values.target === 'object' && 'value' in values.target ? values.target.value : values.target;
  const target = named?.target ?? (isDynamic ? null : typeof written === 'string' ? written : undefined);
  const usual = spec.target.defaultTarget === undefined ? undefined : config[spec.target.defaultTarget];
  const { sent: addressOf } = spec.channels ?? {};
  const standard = target === undefined && typeof usual === 'string' ? usual : undefined;
  const own = values.transform?.fields.map(({ name }) => name) ?? fieldsOf(values.body);
  const format = values.words?.fixed['format'];
  return [
    {
      action: 'send',
      connector,
      address: addressOf ? addressOf(target, config) : (target ?? standard),
      owner,
      place,
      type: own.length > 0 ? undefined : (named?.input ?? flow.type),
      fields: own.length > 0 ? own : flow.fields,
      headers: fieldsOf(fieldIn(values.params, 'headers')),
      format: typeof format === 'string' ? format : undefined,
    },
  ];
}

/** A field of an object that is written out. */
function fieldIn(params: ArgumentSource | undefined, wanted: string): ArgumentSource | undefined {
  if (params?.kind === 'map') return params.entries.find(([name]) => name === wanted)?.[1];
  if (params?.kind !== 'constant' || typeof params.value !== 'object' || params.value === null) return undefined;
  return { ...params, value: (params.value as Readonly<Record<string, unknown>>)[wanted] };
}

/** Names of the fields of an object that is written out. */
function fieldsOf(body: ArgumentSource | undefined): readonly string[] {
  if (body?.kind === 'map') return body.entries.map(([name]) => name);
  if (body?.kind !== 'constant' || typeof body.value !== 'object' || body.value === null) return [];
  return Object.keys(body.value);
}
