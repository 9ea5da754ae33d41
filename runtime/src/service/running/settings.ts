import { standardName } from '../../engine/settings/spec.ts';
import type { EnvironmentGroup } from '../../foundation/contracts/environment.ts';
import type { AddressHeader, TrustedProxies } from '../../foundation/contracts/http.ts';
import { trustedProxiesOf } from '../../platform/http/admission/trusted-proxies.ts';
import { environmentDefaults } from '../config/environment.ts';

/** The decoded `service` block; attributes with defaults are always set. */
export interface ServiceBlock {
  readonly name: string;
  readonly version: string;
  readonly admin_port: number;
  readonly admin_host: string | undefined;
  readonly trusted_proxies: readonly string[];
  readonly client_address: AddressHeader;
  readonly rate_limit: RateLimitBlock | undefined;
  /** Milliseconds; `delay` follows the environment when it is not written. */
  readonly shutdown: { readonly delay: number | undefined; readonly timeout: number } | undefined;
}

export interface RateLimitBlock {
  readonly enabled: boolean;
  readonly requests_per_second: number;
  readonly burst: number;
  readonly key_extractor: string;
  readonly exclude_paths: readonly string[];
  readonly enable_headers: boolean;
  readonly storage: string | undefined;
}

/** The service block with the defaults of the environment. */
export interface ServiceSettings {
  readonly name: string;
  readonly version: string;
  /** 0 lets the system choose. */
  readonly adminPort: number;
  /** Address of the interface that the admin server listens on; undefined: every one. */
  readonly adminHost: string | undefined;
  readonly trustedProxies: TrustedProxies;
  /** Undefined when requests are not limited. */
  readonly rateLimit: RateLimitSettings | undefined;
  /** Milliseconds. */
  readonly shutdown: { readonly delay: number; readonly timeout: number };
}

export interface RateLimitSettings {
  readonly requestsPerSecond: number;
  readonly burst: number;
  readonly keyExtractor: string;
  readonly excludedPaths: readonly string[];
  readonly headers: boolean;
  /** Cache connector that several processes share. */
  readonly storage: string | undefined;
  /** False for the default limit, which applies when no limit is configured. */
  readonly written: boolean;
}

const unwrittenLimit: RateLimitSettings = {
  requestsPerSecond: 100,
  burst: 200,
  keyExtractor: 'ip',
  excludedPaths: ['/health', '/metrics'],
  headers: true,
  storage: undefined,
  written: false,
};

/** Settings of a service without a `service` block are those of an empty one. */
export function serviceSettings(block: ServiceBlock | undefined, group: EnvironmentGroup): ServiceSettings {
  const defaults = environmentDefaults[group];
  return {
    name: block?.name ?? standardName,
    version: block?.version ?? '0.0.0',
    adminPort: block?.admin_port ?? 9090,
    adminHost: block?.admin_host,
    trustedProxies: trustedProxiesOf(block),
    rateLimit: rateLimitSettings(block?.rate_limit, defaults.rateLimited),
    shutdown: {
      delay: block?.shutdown?.delay ?? defaults.shutdownDelay,
      timeout: block?.shutdown?.timeout ?? 30_000,
    },
  };
}

function rateLimitSettings(block: RateLimitBlock | undefined, limited: boolean): RateLimitSettings | undefined {
  if (block === undefined) return limited ? unwrittenLimit : undefined;
  if (!block.enabled) return undefined;
  return {
    requestsPerSecond: block.requests_per_second,
    burst: block.burst,
    keyExtractor: block.key_extractor,
    excludedPaths: block.exclude_paths,
    headers: block.enable_headers,
    storage: block.storage === '' ? undefined : block.storage,
    written: true,
  };
}
