import type { Clock } from '../../../foundation/observe/clock.ts';
import type { Log } from '../../../foundation/observe/log.ts';
import { internalKind } from '../../../platform/net/addresses/internal-address.ts';
import type { AuthSettings } from '../settings.ts';
import { PlaceDatabase } from './place-database.ts';
import { PlaceService } from './place-service.ts';
import type { FoundPlace, PlaceSource } from './place-source.ts';

/** Where an address is. */
export interface Place {
  /** Degrees. */
  readonly latitude: number;
  readonly longitude: number;
  /** Kilometres around it in which the address may be; undefined where that is not known. */
  readonly accuracy: number | undefined;
  /** For people, such as `Rome, Italy`; at most 200 characters. */
  readonly label: string;
}

const cacheTime = 3_600_000;
const longestLabel = 200;

/**
 * Finds where addresses are. An address that is on no public network has no place, and is not looked up. Answers are kept
 * for an hour, those without a place too; that a source does not answer is logged, not kept, and harms no caller.
 */
export class Geolocation {
  readonly #source: PlaceSource;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #most: number;
  readonly #kept = new Map<string, { readonly place: Place | undefined; readonly until: number }>();
  readonly #asked = new Map<string, Promise<Place | undefined>>();

  constructor(source: PlaceSource, clock: Clock, log: Log, most = 10_000) {
    this.#source = source;
    this.#clock = clock;
    this.#log = log;
    this.#most = most;
  }

  /** Addresses whose places are kept. */
  get size(): number {
    return this.#kept.size;
  }

  /** Rejects when places can never be found, such as without the file of a database. */
  open(): Promise<void> {
    return this.#source.open();
  }

  /** Undefined where it cannot be found. Never rejects. */
  async find(ip: string): Promise<Place | undefined> {
    if (internalKind(ip) !== undefined) return undefined;
    const now = this.#clock.elapsed();
    const kept = this.#kept.get(ip);
    if (kept !== undefined && kept.until > now) return kept.place;
    const asked = this.#asked.get(ip) ?? this.#ask(ip).finally(() => this.#asked.delete(ip));
    this.#asked.set(ip, asked);
    return asked;
  }

  async #ask(ip: string): Promise<Place | undefined> {
    try {
      const place = placeOf(await this.#source.find(ip));
      this.#keep(ip, place);
      return place;
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      this.#log.warn('the place of an address cannot be found: a sign-in is not judged by it', { ip, error: why });
      return undefined;
    }
  }

  #keep(ip: string, place: Place | undefined): void {
    this.#kept.delete(ip);
    if (this.#kept.size >= this.#most) {
      const [oldest] = this.#kept.keys();
      this.#kept.delete(oldest as string);
    }
    this.#kept.set(ip, { place, until: this.#clock.elapsed() + cacheTime });
  }
}

/** The source that is configured. */
export function placeSource(
  { database, api }: Pick<NonNullable<AuthSettings['impossible_travel']['geoip']>, 'database' | 'api'>,
  directory: string,
): PlaceSource {
  return database === undefined ? new PlaceService(api as string) : new PlaceDatabase(database, directory);
}

/** Services answer 0, 0 for what they do not know: no caller is there. */
function placeOf({ latitude, longitude, accuracy, city, country }: FoundPlace): Place | undefined {
  if (latitude === undefined || longitude === undefined || (latitude === 0 && longitude === 0)) return undefined;
  if (!(Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180)) return undefined;
  const named = [city, country].filter((text) => text !== undefined && text.trim() !== '').join(', ');
  const label = named === '' ? `${latitude.toFixed(2)}, ${longitude.toFixed(2)}` : named;
  const isKnown = accuracy !== undefined && Number.isFinite(accuracy) && accuracy >= 0;
  return {
    latitude,
    longitude,
    accuracy: isKnown ? accuracy : undefined,
    label: label.slice(0, longestLabel).toWellFormed(),
  };
}
