import type { AttributeSpec, Values } from '@svc/protocol/schema';
import type { HttpMount, Verifier } from '../../foundation/contracts/http.ts';
import { corsOf } from './admission/cors.ts';
import type { cors } from './admission/cors-spec.ts';
import type { requestAttributes } from './sockets/server-spec.ts';

type Attributes = Omit<typeof requestAttributes, 'max_upload'>;

/** The block of a server of requests, as far as every one has it. */
export type RequestSettings = {
  readonly [K in keyof Attributes]: Attributes[K] extends AttributeSpec<infer T> ? T : never;
} & { readonly port: number; readonly cors: Values<typeof cors> | undefined };

/** What a server of requests adds to its address, its routes aside: limits of connections, who may ask, and how much. */
export function requestMount(
  connector: string,
  config: RequestSettings,
  { production }: { readonly production: boolean },
  verifier: Verifier | undefined,
): Omit<HttpMount, 'routes'> {
  return {
    connector,
    address: { host: config.host ?? '', port: config.port },
    limits: {
      readTimeout: config.read_timeout,
      readRate: config.read_rate,
      writeTimeout: config.write_timeout,
      idleTimeout: config.idle_timeout,
      maxConnections: config.max_connections,
    },
    access: {
      cors: corsOf(config.cors, production),
      verifier,
      maxInFlight: config.max_in_flight,
      timeout: config.timeout,
    },
    builtins: true,
  };
}
