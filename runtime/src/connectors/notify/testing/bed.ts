import type { ConnectorSpec } from '@svc/protocol/schema';
import { configured } from '../../../../../test/support/configured.ts';
import { connectorServices } from '../../../../../test/support/connector-services.ts';
import { faultProxy } from '../../../../../test/support/proxy.ts';
import type { CallResult } from '../../../foundation/contracts/call-result.ts';
import type { Connector, ConnectorServices, Factory } from '../../../foundation/contracts/connector.ts';
import type { CallDescription, CallRequest } from '../../../foundation/contracts/target.ts';
import type { TargetBed, TargetConnector } from '../../testing/target-conformance.ts';
import type { MessageFields } from '../message.ts';
import { type Asked, type Given, type Misbehaviour, Provider, type ProviderOfTests } from './provider.ts';

/** A channel, as the suite of all channels uses it. */
export interface ChannelBed {
  readonly spec: ConnectorSpec;
  readonly create: Factory<never>;
  readonly fields: MessageFields;
  readonly protocol?: 'http' | 'http2';
  /** Starts its provider, where that speaks something else. */
  readonly start?: (answer: (asked: Asked) => Given | Misbehaviour) => Promise<ProviderOfTests>;
  /** It speaks another protocol than HTTP: what is said of redirects, 429 and repeated headers means nothing. */
  readonly speaksAnother?: true;
  /** Statuses of answers that refuse, and whether another try may help. Absent: those of HTTP. */
  readonly statuses?: readonly (readonly [status: number, retriable: boolean])[];
  /** The block of a connector whose provider is at this address. */
  readonly written: (url: string) => Record<string, unknown>;
  /** A message with this text, by the names of its fields. */
  readonly message: (text: string) => Record<string, unknown>;
  /** Those of them without which no message is sent. Absent: all. */
  readonly required?: readonly string[];
  /** A value of each further field, as far as a message may have it. */
  readonly further: Readonly<Record<string, unknown>>;
  /** The text of a message, in the request that it became. */
  readonly textOf: (asked: Asked) => unknown;
  /** What the provider answers to a message that it takes under this identifier. */
  readonly taken: (id: string, asked: Asked) => Given;
  /** The result of it. */
  readonly result: (id: string) => Record<string, unknown>;
  /** Requests that come before those with messages, such as one for an access token. */
  readonly before?: (asked: Asked) => Given | undefined;
  /** What tells it whether it may send; answered by `before`. Absent: the provider has no such request. */
  readonly health?: {
    readonly asked: string;
    /** How it is refused. Absent: 401. */
    readonly refusal?: Given;
  };
  /** The identifier in a result, where that is not `message_id`. */
  readonly idIn?: (result: Record<string, unknown>) => unknown;
  /** Headers without those that differ with each message. */
  readonly comparable?: (headers: Asked['headers']) => Asked['headers'];
  /** How often it sends what was not answered. Absent: once. */
  readonly triesUnanswered?: number;
  /** A good status is enough: what the provider answers is not read. */
  readonly readsStatusAlone?: true;
  /** In every spelling that they have. */
  readonly secrets: readonly string[];
  /** The provider does not say what it calls a message: the suite of all targets, which goes by it, is left out. */
  readonly hasNoIds?: true;
  /** Answers of a provider that refuses although its status is good, and whether another try may help. */
  readonly refusals?: readonly (readonly [answer: Given, retriable: boolean])[];
}

/** A text as an identifier that may be in a header. */
export const idOf = (text: unknown) => encodeURIComponent(String(text));

/** Takes every message, under an identifier that is its text. */
export function taking(bed: ChannelBed) {
  return (asked: Asked): Given => bed.before?.(asked) ?? bed.taken(idOf(bed.textOf(asked)), asked);
}

/** Its provider, which answers so. */
export function providerOf(
  { start, protocol }: ChannelBed,
  answer: (asked: Asked) => Given | Misbehaviour,
): Promise<ProviderOfTests> {
  return start === undefined ? Provider.start(answer, protocol) : start(answer);
}

/** A connector that is not open. Its maker closes it. */
export function made(
  bed: Pick<ChannelBed, 'spec' | 'create'>,
  written: Record<string, unknown>,
  services: ConnectorServices = connectorServices(),
): TargetConnector {
  return bed.create('channel', configured(bed.spec.config, written) as never, services) as TargetConnector;
}

/** Sends as a step or a destination does. */
export async function send(
  connector: Connector,
  request: CallRequest,
  call: Partial<CallDescription> = {},
): Promise<CallResult> {
  const execute = (connector as TargetConnector).target.prepare({
    verb: 'call',
    operation: 'send',
    target: undefined,
    query: undefined,
    timeout: undefined,
    exact: false,
    flow: 'f',
    label: 'to',
    ...call,
  });
  return execute(request);
}

/** The bed of the suite of all targets: a message whose text is `stuck` is left without an answer until it is released. */
export async function targetBed(bed: ChannelBed): Promise<TargetBed> {
  let isReleased = false;
  const take = taking(bed);
  const isStuck = (asked: Asked) => bed.before?.(asked) === undefined && bed.textOf(asked) === 'stuck';
  const provider = await providerOf(bed, (asked) => (isStuck(asked) && !isReleased ? 'silent' : take(asked)));
  const proxy = await faultProxy({ port: provider.port });
  return {
    spec: bed.spec,
    connector: (services) => made(bed, { ...bed.written(`http://127.0.0.1:${proxy.port}`), timeout: 10_000 }, services),
    call: { operation: 'send' },
    echo: async (execute, text) => {
      const { value } = await execute({ params: bed.message(text) });
      const { result } = value as { result: Record<string, unknown> };
      return decodeURIComponent(String(bed.idIn === undefined ? result['message_id'] : bed.idIn(result)));
    },
    stuck: {
      call: { operation: 'send' },
      request: { params: bed.message('stuck') },
      begun: () => provider.held > 0,
      release: () => {
        isReleased = true;
        const asked = provider.sends.find(isStuck);
        if (asked !== undefined) provider.release(bed.taken('stuck', asked));
      },
      isLeft: () => provider.held > 0,
    },
    proxy,
    malformed: [],
    secrets: bed.secrets,
    close: async () => {
      await proxy.close();
      await provider.close();
    },
  };
}
