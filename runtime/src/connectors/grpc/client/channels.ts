import type * as Grpc from '@grpc/grpc-js';
import type { Values } from '@svc/protocol/schema';
import { defaultTls, type TlsMaterial } from '../../../platform/net/tls.ts';
import { askHealth } from './ask-health.ts';
import { HealthWatch } from './health-watch.ts';
import type { grpcClient } from './spec.ts';

export type ClientConfig = Values<(typeof grpcClient)['config']>;

const mebibyte = 1024 * 1024;

/** A connection to one address. */
interface End {
  readonly target: string;
  readonly client: Grpc.Client;
  /** Absent: it is not asked whether it serves. */
  readonly health: HealthWatch | undefined;
}

/** Connections to the addresses of a client. */
export class Channels {
  readonly #grpc: typeof Grpc;
  readonly #ends: readonly [End, ...End[]];
  readonly #inTurn: boolean;
  #next = 0;

  /** `credentials` are sent with questions about health. */
  constructor(
    grpc: typeof Grpc,
    config: ClientConfig,
    tls: TlsMaterial | undefined,
    credentials: () => Promise<Grpc.Metadata>,
  ) {
    const { target, load_balancing: balancing } = config;
    const { targets = [], policy = 'pick_first', health_check: isAsked = false } = balancing ?? {};
    this.#grpc = grpc;
    this.#inTurn = policy === 'round_robin';
    const secured = tls === undefined ? grpc.credentials.createInsecure() : secure(grpc, tls);
    const options = optionsOf(grpc, config, tls, policy);
    const ends = (targets.length === 0 ? [target] : targets).map((each) => {
      const client = new grpc.Client(each, secured, options);
      return { target: each, client, health: isAsked ? new HealthWatch(client, credentials) : undefined };
    });
    this.#ends = ends as [End, ...End[]];
  }

  /** The connection of the next call: of several that of a server that can be reached and serves, as far as that is known. */
  pick(): Grpc.Client {
    const [only] = this.#ends;
    if (this.#ends.length === 1) return only.client;
    const first = this.#inTurn ? this.#next++ % this.#ends.length : 0;
    const turn = [...this.#ends.slice(first), ...this.#ends.slice(0, first)];
    return (turn.find((end) => this.#isUsable(end)) ?? (turn[0] as End)).client;
  }

  /** Resolves when one of the addresses can be reached. Rejects with the reason. */
  async ready(deadline: number): Promise<void> {
    const waits = this.#ends.map(
      ({ client }) =>
        new Promise<void>((resolve, reject) =>
          client.waitForReady(deadline, (error) => (error === undefined ? resolve() : reject(error))),
        ),
    );
    await Promise.any(waits);
  }

  /** Asks every server whether it serves; gives which of several do not. Rejects when no server does. */
  async check(metadata: Grpc.Metadata, deadline: number): Promise<string | undefined> {
    const asked = await Promise.allSettled(this.#ends.map(({ client }) => askHealth(client, metadata, deadline)));
    const away = this.#ends.filter((_, at) => asked[at]?.status === 'rejected').map(({ target }) => target);
    if (away.length === 0) return undefined;
    const text = `${away.join(', ')} cannot be reached, or does not serve`;
    if (away.length === this.#ends.length) throw new Error(text);
    return text;
  }

  close(): void {
    for (const { client, health } of this.#ends) {
      health?.close();
      client.close();
    }
  }

  #isUsable({ client, health }: End): boolean {
    const { TRANSIENT_FAILURE } = this.#grpc.connectivityState;
    return health?.isServing !== false && client.getChannel().getConnectivityState(true) !== TRANSIENT_FAILURE;
  }
}

function secure(grpc: typeof Grpc, { ca, cert, key, rejectUnauthorized }: TlsMaterial): Grpc.ChannelCredentials {
  return grpc.credentials.createSsl(ca ?? null, key ?? null, cert ?? null, { rejectUnauthorized });
}

function optionsOf(
  grpc: typeof Grpc,
  { max_recv_mb, max_send_mb, keep_alive, compression }: ClientConfig,
  tls: TlsMaterial | undefined,
  policy: string,
): Grpc.ClientOptions {
  const { none: _, ...algorithms } = {
    none: 0,
    deflate: grpc.compressionAlgorithms.deflate,
    gzip: grpc.compressionAlgorithms.gzip,
  };
  return {
    'grpc.max_receive_message_length': max_recv_mb * mebibyte,
    'grpc.max_send_message_length': max_send_mb * mebibyte,
    'grpc.keepalive_time_ms': keep_alive?.time ?? 30_000,
    'grpc.keepalive_timeout_ms': keep_alive?.timeout ?? 10_000,
    'grpc.service_config': JSON.stringify({ loadBalancingConfig: [{ [policy]: {} }] }),
    // What a name server or the environment says changes nothing of what is written.
    'grpc.service_config_disable_resolution': 1,
    'grpc.enable_http_proxy': 0,
    'grpc.use_local_subchannel_pool': 1,
    'grpc.enable_channelz': 0,
    'grpc.max_reconnect_backoff_ms': 5000,
    ...(compression !== 'none' && { 'grpc.default_compression_algorithm': algorithms[compression] }),
    ...(tls?.servername !== undefined && {
      'grpc.ssl_target_name_override': tls.servername,
      'grpc.default_authority': tls.servername,
    }),
  };
}

/** What connections are encrypted with: the `tls` block, or what the system trusts where `insecure = false` says so. */
export function encryptionOf({ insecure }: ClientConfig, tls: TlsMaterial | undefined): TlsMaterial | undefined {
  return tls ?? (insecure === false ? defaultTls : undefined);
}
