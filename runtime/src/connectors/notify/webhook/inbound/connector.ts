import type { Values } from '@svc/protocol/schema';
import type { Connector, ConnectorServices, Factory } from '../../../../foundation/contracts/connector.ts';
import type { EventSource } from '../../../../foundation/contracts/events.ts';
import type { HttpRoute } from '../../../../foundation/contracts/http.ts';
import type { Source } from '../../../../foundation/contracts/source.ts';
import { Failure } from '../../../../foundation/errors/failure.ts';
import type { Codec } from '../../../../platform/formats/registry.ts';
import { AddressRanges } from '../../../../platform/net/addresses/address-ranges.ts';
import { ClientDriver } from '../../../intake/clients/client-driver.ts';
import { Intake } from '../../../intake/intake.ts';
import { keyOf } from '../signature.ts';
import { bodyCodecs } from './event.ts';
import { Receiver, refusalText } from './receiver.ts';
import { methods, received, type webhookInbound } from './spec.ts';

export const create: Factory<typeof webhookInbound> = (name, config, services) =>
  new InboundWebhooks(name, config, services);

type Settings = Values<typeof webhookInbound.config>;

/** Takes webhooks at the addresses of the `rest` connectors, for as long as its own block does not change. */
class InboundWebhooks implements Connector {
  readonly name: string;
  readonly source: Source;
  readonly events: EventSource;
  readonly #secret: string | undefined;
  readonly #driver: ClientDriver;
  readonly #intake: Intake;
  readonly #receiver: Receiver;
  #codecs: ReadonlyMap<string, Codec> = new Map();

  constructor(name: string, config: Settings, services: ConnectorServices) {
    this.name = name;
    this.#secret = config.secret;
    const { log, clock } = services;
    this.#driver = new ClientDriver('webhook', config.path, config.workers);
    this.#intake = new Intake(this.#driver, { connector: name, services });
    this.events = this.#intake.events;
    this.#receiver = new Receiver(
      {
        signature: config.secret === undefined ? undefined : rulesOf(config, config.secret),
        signatureHeader: config.signature_header.toLowerCase(),
        timestampHeader: config.timestamp_header.toLowerCase(),
        allowed: config.allowed_ips && new AddressRanges(config.allowed_ips),
        trusted: config.trusted_proxies && new AddressRanges(config.trusted_proxies),
        timeout: config.timeout,
        maxBody: config.max_body,
      },
      { driver: this.#driver, codecs: () => this.#codecs, now: () => clock.now(), log },
    );
    const beside = methods.map(
      (method): HttpRoute => ({
        method,
        path: config.path,
        refusal: refusalText,
        handle: (exchange) => this.#receiver.handle(exchange),
      }),
    );
    this.source = {
      // A flow that names no operation takes everything too.
      bind: (bindings) => ({
        ...this.#intake.bind(bindings.map((binding) => ({ ...binding, operation: binding.operation ?? received }))),
        beside,
      }),
      events: this.events,
      start: () => this.#intake.start(),
      stop: (cut) => this.#stop(cut),
    };
  }

  async open(): Promise<void> {
    if (this.#receiver.isOpen) return;
    // A variable that is not set arrives as an empty text: then everybody would be believed.
    if (this.#secret === '') throw new Failure('connector_refused', 'secret is empty', { retriable: false });
    this.#codecs = await bodyCodecs();
    this.#receiver.open();
    await this.#intake.connected();
  }

  async close(cut?: AbortSignal): Promise<void> {
    await this.#stop(cut);
  }

  async check(): Promise<void> {
    if (this.#receiver.isOpen) return;
    throw new Failure('connector_refused', 'it takes no webhooks', { at: { connector: this.name } });
  }

  async #stop(cut?: AbortSignal): Promise<void> {
    this.#receiver.close();
    await this.#intake.stop(cut);
    this.#driver.refuse(new Failure('overloaded', 'the service is stopping'));
  }
}

function rulesOf(config: Settings, secret: string) {
  return { algorithm: config.signature_algorithm, secret: keyOf(secret), tolerance: config.timestamp_tolerance };
}
