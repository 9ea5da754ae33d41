import { resolve } from 'node:path';
import type { CityResponse, Reader } from 'maxmind';
import { lookAt, mebibyte } from '../../../foundation/disk/regular-file.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import type { PlaceSource } from './place-source.ts';

/** Bytes of the largest database: of those that are sold, the largest has a tenth. */
const largest = 2048 * mebibyte;

/** A city database in MaxMind format, read into memory when it is opened. */
export class PlaceDatabase implements PlaceSource {
  readonly #path: string;
  #reader: Reader<CityResponse> | undefined;

  /** `path` is relative to the folder of the configuration. */
  constructor(path: string, directory: string) {
    this.#path = resolve(directory, path);
  }

  /** Rejects with `connector_failed` when it cannot be read, or does not hold cities. */
  async open(): Promise<void> {
    const { open } = await import('maxmind');
    try {
      await lookAt(this.#path, largest);
      const reader = await open<CityResponse>(this.#path);
      const { databaseType } = reader.metadata;
      if (!/city|enterprise|insights/i.test(databaseType))
        throw new Error(`it is of type ${databaseType}, not of cities`);
      this.#reader = reader;
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      const message = `impossible_travel: the database "${this.#path}" cannot be used: ${why}`;
      throw new Failure('connector_failed', message, { cause: error, retriable: false });
    }
  }

  async find(ip: string) {
    if (this.#reader === undefined) throw new Failure('internal', 'the database of places is not open');
    const found = this.#reader.get(ip);
    const { latitude, longitude, accuracy_radius: accuracy } = found?.location ?? {};
    return { latitude, longitude, accuracy, city: found?.city?.names?.en, country: found?.country?.names?.en };
  }
}
