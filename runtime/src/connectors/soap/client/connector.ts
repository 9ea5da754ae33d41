import type { Values } from '@svc/protocol/schema';
import type { Connector, ConnectorServices, Factory } from '../../../contracts/connector.ts';
import type { Target } from '../../../contracts/target.ts';
import { Failure } from '../../../errors/failure.ts';
import { accessOf, baseAddress } from '../../../net/client/access.ts';
import type { HttpSender } from '../../../net/request.ts';
import { readTls } from '../../../net/tls.ts';
import { type Peer, SoapCall } from './call.ts';
import type { soapClient } from './spec.ts';

type Settings = Values<typeof soapClient.config>;

export const create: Factory<typeof soapClient> = (name, config, services) => new SoapClient(name, config, services);

/** A fault may come after the operation was carried out: nothing is repeated. */
const once = { attempts: 1, delay: 0, maxDelay: 0, kind: 'constant', unsafe: false, jitter: false } as const;

/** Calls one SOAP service. */
class SoapClient implements Connector {
  readonly name: string;
  readonly target: Target;
  readonly #config: Settings;
  readonly #services: ConnectorServices;
  readonly #endpoint: URL;
  #client: HttpSender | undefined;
  #peer: Peer | undefined;

  constructor(name: string, config: Settings, services: ConnectorServices) {
    this.name = name;
    this.#config = config;
    this.#services = services;
    this.#endpoint = baseAddress(config.endpoint, 'endpoint');
    this.target = {
      prepare: (description) => {
        const call = new SoapCall(() => this.#opened(), description, name);
        return (request) => call.execute(request);
      },
    };
  }

  /** Reads certificates and fetches the first access token; the service itself may still be unavailable. */
  async open(): Promise<void> {
    if (this.#peer !== undefined) return;
    const { auth, headers, timeout, max_response: maxResponse, security } = this.#config;
    const tls = await readTls(this.#config.tls, this.#services);
    const written = { base: this.#endpoint, auth, headers, tls, timeout, maxResponse, retry: once };
    const access = accessOf(written, this.#services);
    this.#client = access.client;
    await access.tokens?.get();
    const { soap_version: version, namespace, element_form: form } = this.#config;
    const path = pathOf(this.#endpoint, access.queryKey);
    this.#peer = { ...access, name: this.name, path, version, namespace, isQualified: form === 'qualified', security };
  }

  async close(cut?: AbortSignal): Promise<void> {
    this.#peer = undefined;
    await this.#client?.close(cut);
  }

  /** Any answer means that the service is available. */
  async check(signal: AbortSignal): Promise<void> {
    const { client, origin, headers, timeout, path } = this.#opened();
    const request = { method: 'HEAD', origin, path, headers: [...headers].flat(), deadline: timeout, signal };
    await client.send(request).catch((error: unknown) => {
      if (!(error instanceof Failure) || error.upstream === undefined) throw error;
    });
  }

  #opened(): Peer {
    if (this.#peer) return this.#peer;
    throw new Failure('connector_refused', `connector "${this.name}" is not open`, { at: { connector: this.name } });
  }
}

function pathOf({ pathname, search }: URL, key: Peer['queryKey']): string {
  const path = pathname + search;
  if (key === undefined) return path;
  const { name, value } = key;
  return `${path}${path.includes('?') ? '&' : '?'}${encodeURIComponent(name)}=${encodeURIComponent(value)}`;
}
