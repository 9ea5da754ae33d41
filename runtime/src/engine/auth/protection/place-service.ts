import { AddressPolicy } from '../../../platform/net/addresses/address-policy.ts';
import { fetchDocument } from '../../../platform/net/document.ts';
import type { FoundPlace, PlaceSource } from './place-source.ts';

const timeout = 3_000;
/** Bytes of an answer. */
const limit = 65_536;

/** A service that answers where an address is. */
export class PlaceService implements PlaceSource {
  readonly #template: string;
  readonly #addresses: AddressPolicy;

  /** `template` is an address with `{ip}` in it. */
  constructor(template: string) {
    this.#template = template;
    // Where the address of a caller is a part of the host, it decides what is connected to.
    this.#addresses = AddressPolicy.forWritten(template);
  }

  async open(): Promise<void> {}

  async find(ip: string): Promise<FoundPlace> {
    const url = this.#template.replaceAll('{ip}', encodeURIComponent(ip));
    const headers = ['accept', 'application/json', 'user-agent', 'svc'];
    const { status, body } = await fetchDocument(url, {
      headers,
      deadline: timeout,
      limit,
      addresses: this.#addresses,
    });
    if (status === 404) return {};
    if (status < 200 || status > 299) throw new Error(`the service answered HTTP ${status}`);
    return readPlace(JSON.parse(body.toString('utf8')));
  }
}

/** What services call the same thing. */
const names = {
  latitude: ['latitude', 'lat'],
  longitude: ['longitude', 'lon', 'lng'],
  accuracy: ['accuracy_radius'],
} as const;

/** Reads coordinates at the top of an answer or in its `location`; what is something else is left out. */
export function readPlace(answer: unknown): FoundPlace {
  if (!isObject(answer)) return {};
  const own = [answer, answer['location']].filter(isObject);
  for (const each of own) {
    const [latitude, longitude] = [firstOf(each, names.latitude), firstOf(each, names.longitude)];
    if (latitude !== undefined && longitude !== undefined)
      return {
        latitude,
        longitude,
        accuracy: firstOf(each, names.accuracy),
        city: textOf(own, ['city']),
        country: textOf(own, ['country_name', 'country']),
      };
  }
  return {};
}

function firstOf(from: Readonly<Record<string, unknown>>, of: readonly string[]): number | undefined {
  return of.map((name) => numberOf(from[name])).find((value) => value !== undefined);
}

function numberOf(value: unknown): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

function textOf(from: readonly Readonly<Record<string, unknown>>[], of: readonly string[]): string | undefined {
  return from
    .flatMap((each) => of.map((name) => each[name]))
    .find((value): value is string => typeof value === 'string');
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
