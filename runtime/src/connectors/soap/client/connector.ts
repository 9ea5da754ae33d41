import type { Values } from '@svc/protocol/schema';
import type { KnownTarget } from '@svc/protocol/wire';
import type { Connector, ConnectorServices, Factory } from '../../../foundation/contracts/connector.ts';
import type { Target } from '../../../foundation/contracts/target.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import { projectText } from '../../../platform/formats/project-text.ts';
import { NoContract } from '../../../platform/formats/wsdl/no-contract.ts';
import { accessOf, baseAddress } from '../../../platform/net/client/access.ts';
import type { HttpSender } from '../../../platform/net/request.ts';
import { readTls } from '../../../platform/net/tls.ts';
import { knownOperations } from '../known-operations.ts';
import { type Peer, SoapCall } from './call.ts';
import { type DescribedPeer, describedPeer } from './described.ts';
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
  /** Calls whose operations were not looked for yet. */
  readonly #prepared = new Set<SoapCall>();
  #client: HttpSender | undefined;
  #peer: Peer | undefined;

  constructor(name: string, config: Settings, services: ConnectorServices) {
    this.name = name;
    this.#config = config;
    this.#services = services;
    this.target = {
      prepare: (description) => {
        const call = new SoapCall(() => this.#opened(), description, name);
        if (this.#peer === undefined) this.#prepared.add(call);
        else call.check(this.#peer);
        return (request) => call.execute(request);
      },
    };
  }

  /**
   * Reads the description and certificates. The service may still be unavailable, and so may the provider of its access tokens.
   * Rejects where a flow calls an operation that the description does not have.
   */
  async open(): Promise<void> {
    if (this.#peer !== undefined) return;
    const { auth, headers, timeout, max_response: maxResponse, security } = this.#config;
    const described = this.#described();
    const endpoint = baseAddress(this.#config.endpoint ?? described?.address ?? '', 'endpoint');
    const tls = await readTls(this.#config.tls, this.#services);
    const written = { name: this.name, base: endpoint, auth, headers, tls, timeout, maxResponse, retry: once };
    const access = await accessOf(written, this.#services);
    this.#client = access.client;
    const { soap_version: version = described?.version ?? '1.1', namespace, element_form: form } = this.#config;
    const path = pathOf(endpoint, access.queryKey);
    const isQualified = form && form === 'qualified';
    const { production } = this.#services;
    const peer = { ...access, name: this.name, path, version, namespace, isQualified, described, production, security };
    for (const call of this.#prepared) call.check(peer);
    this.#prepared.clear();
    this.#peer = peer;
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

  /** What the file says; undefined where the block names no file. */
  #described(): Peer['described'] {
    const { wsdl } = this.#config;
    if (wsdl === undefined) return undefined;
    let peer: DescribedPeer;
    try {
      const read = (path: string) => projectText(this.#services.directory, path);
      peer = describedPeer({ text: read(wsdl), path: wsdl, read });
    } catch (error) {
      const { file = wsdl, line } = error instanceof NoContract ? error : {};
      const place = line === undefined ? file : `${file}:${line}`;
      const says = `the description of connector "${this.name}" cannot be used: ${place}: ${(error as Error).message}`;
      throw new Failure('internal', says, { at: { connector: this.name }, retriable: false });
    }
    if (this.#config.endpoint !== undefined || peer.address !== undefined) return { ...peer, file: wsdl };
    throw new Failure('internal', `${wsdl} does not say where the service is: write endpoint`, {
      at: { connector: this.name },
      retriable: false,
    });
  }

  /** The operations that the file has, with their parameters. */
  async knownTargets(): Promise<readonly KnownTarget[]> {
    return knownOperations([...(this.#peer?.described?.operations.values() ?? [])]);
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
