import { createHash } from 'node:crypto';
import { isIPv4 } from 'node:net';
import type { Clock } from '../../../foundation/observe/clock.ts';
import { callerNetwork } from '../../../platform/http/admission/client-address.ts';
import type { Client } from '../client.ts';
import type { AuthSettings } from '../settings.ts';
import type { Account, AccountStore } from '../store/accounts.ts';
import type { Finding, SignInJudge } from './contract.ts';

type Settings = Omit<AuthSettings['device_binding'], 'enabled'>;

/** What a device is known by; the value is empty where a request does not say it. */
const parts: Readonly<Record<Settings['fingerprint'][number], (client: Client) => string>> = {
  user_agent: ({ userAgent }) => userAgent,
  ip: ({ ip }) => network(ip),
  device_id: ({ deviceId }) => deviceId ?? '',
};

/**
 * Remembers the devices that accounts sign in with. A device is known for `trust_duration` after its last sign-in; the
 * first one of an account is new too. A request that says nothing of what a device is known by is not judged.
 */
export class DeviceBinding implements SignInJudge {
  readonly #settings: Settings;
  readonly #store: Pick<AccountStore, 'device' | 'keepDevice'>;
  readonly #clock: Clock;

  constructor(settings: Settings, store: Pick<AccountStore, 'device' | 'keepDevice'>, clock: Clock) {
    this.#settings = settings;
    this.#store = store;
    this.#clock = clock;
  }

  /** Rejects with `store_unavailable` where the store is unavailable. */
  async judge({ id }: Pick<Account, 'id'>, client: Client): Promise<Finding | undefined> {
    const fingerprint = this.#fingerprint(client);
    if (fingerprint === undefined) return undefined;
    const device = await this.#store.device(id, fingerprint);
    if (device !== undefined && this.#clock.now() - device.lastSeen < this.#settings.trust_duration) return undefined;
    return { action: this.#settings.on_new_device, details: { device: fingerprint } };
  }

  /** Remembers the device of a sign-in that succeeded. */
  async accept({ id }: Pick<Account, 'id'>, client: Client): Promise<void> {
    const fingerprint = this.#fingerprint(client);
    if (fingerprint === undefined) return;
    const now = this.#clock.now();
    const device = await this.#store.device(id, fingerprint);
    const known = device !== undefined && now - device.lastSeen < this.#settings.trust_duration;
    const firstSeen = known ? device.firstSeen : now;
    await this.#store.keepDevice(id, { fingerprint, firstSeen, lastSeen: now }, this.#settings.max_devices);
  }

  /** A digest, since parts of it are about a person; of a list, so that no part can contain another one. */
  #fingerprint(client: Client): string | undefined {
    const named = [...new Set(this.#settings.fingerprint)].sort().map((part) => [part, parts[part](client)]);
    if (named.every(([, value]) => value === '')) return undefined;
    return createHash('sha256').update(JSON.stringify(named)).digest('hex');
  }
}

/** The network that a device keeps when its address changes: /24 of IPv4, /64 of IPv6. */
function network(ip: string): string {
  return isIPv4(ip) ? `${ip.slice(0, ip.lastIndexOf('.'))}.0/24` : callerNetwork(ip);
}
