import type { Clock } from '../../../foundation/observe/clock.ts';
import type { Client } from '../client.ts';
import type { AuthSettings } from '../settings.ts';
import type { Account, AccountStore } from '../store/accounts.ts';
import type { Finding, SignInJudge } from './contract.ts';
import type { Geolocation, Place } from './geolocation.ts';

type Settings = Pick<AuthSettings['impossible_travel'], 'max_speed_kmh' | 'min_distance_km' | 'on_detect'>;

/** Mean radius of the earth, in kilometres. */
const radius = 6_371;
const hour = 3_600_000;
/** Kilometres around a place of which nothing else is known: databases of cities are not finer. */
const usualAccuracy = 50;

/**
 * Notices a sign-in that is too far from the one before it: what remains of their straight distance over the ground when the
 * accuracy of both places is taken off, divided by the hours between them, exceeds `max_speed_kmh`. Nothing below
 * `min_distance_km` is noticed. Addresses without a place are not judged. Only sign-ins that succeeded are
 * remembered, so that a refused one does not move an account.
 */
export class ImpossibleTravel implements SignInJudge {
  readonly #settings: Settings;
  readonly #places: Pick<Geolocation, 'find'>;
  readonly #store: Pick<AccountStore, 'position' | 'keepPosition'>;
  readonly #clock: Clock;
  /** What was found for a sign-in under way, so that a service that does not answer is waited for once. */
  readonly #found = new WeakMap<object, Promise<Place | undefined>>();

  constructor(
    settings: Settings,
    places: Pick<Geolocation, 'find'>,
    store: Pick<AccountStore, 'position' | 'keepPosition'>,
    clock: Clock,
  ) {
    this.#settings = settings;
    this.#places = places;
    this.#store = store;
    this.#clock = clock;
  }

  /** Rejects with `store_unavailable` where the store is unavailable. */
  async judge({ id }: Pick<Account, 'id'>, client: Pick<Client, 'ip'>): Promise<Finding | undefined> {
    const place = await this.#placeOf(client);
    if (place === undefined) return undefined;
    const before = await this.#store.position(id);
    if (before === undefined) return undefined;
    const km = distance(before, place);
    const least = Math.max(0, km - (before.accuracy ?? usualAccuracy) - (place.accuracy ?? usualAccuracy));
    if (least === 0 || km < this.#settings.min_distance_km) return undefined;
    // A clock that was set back makes no time negative.
    const hours = Math.max(0, this.#clock.now() - before.at) / hour;
    const speed = least / hours;
    if (speed <= this.#settings.max_speed_kmh) return undefined;
    const kmPerHour = Number.isFinite(speed)
      ? Math.min(Math.round(speed), Number.MAX_SAFE_INTEGER)
      : Number.MAX_SAFE_INTEGER;
    const details = { from: before.label, to: place.label, km: Math.round(km), km_per_hour: kmPerHour };
    return { action: this.#settings.on_detect, details };
  }

  /** Remembers where a sign-in that succeeded came from. */
  async accept({ id }: Pick<Account, 'id'>, client: Pick<Client, 'ip'>): Promise<void> {
    const place = await this.#placeOf(client);
    if (place !== undefined) await this.#store.keepPosition(id, { ...place, at: this.#clock.now() });
  }

  #placeOf(client: Pick<Client, 'ip'>): Promise<Place | undefined> {
    const found = this.#found.get(client) ?? this.#places.find(client.ip);
    this.#found.set(client, found);
    return found;
  }
}

/** Kilometres along the surface (haversine). */
export function distance(
  one: Pick<Place, 'latitude' | 'longitude'>,
  other: Pick<Place, 'latitude' | 'longitude'>,
): number {
  const rad = (degrees: number) => (degrees * Math.PI) / 180;
  const half = (from: number, to: number) => Math.sin(rad(to - from) / 2) ** 2;
  const across = Math.cos(rad(one.latitude)) * Math.cos(rad(other.latitude)) * half(one.longitude, other.longitude);
  return 2 * radius * Math.asin(Math.min(1, Math.sqrt(half(one.latitude, other.latitude) + across)));
}
