import type { ConnectorServices } from '../../contracts/connector.ts';
import { type Codec, codecOf, type EncodingStyle, type FormatName } from '../../formats/registry.ts';
import type { HttpClient } from '../../net/request.ts';
import type { RetryPolicy } from './retry.ts';
import type { TokenSource } from './token.ts';

/** What every call of one connector shares once it is open. */
export interface Peer {
  readonly name: string;
  readonly client: HttpClient;
  /** Scheme, host and port: no path and no data can change them. */
  readonly origin: string;
  /** Milliseconds for one attempt. */
  readonly timeout: number;
  readonly retry: RetryPolicy;
  readonly format: FormatName;
  /** Formats that answers are read in. */
  readonly bodyFormats: readonly FormatName[];
  readonly style: EncodingStyle;
  /** Headers of every request by lower-case name, fixed credentials among them. */
  readonly headers: ReadonlyMap<string, string>;
  /** Query parameter that carries a key. */
  readonly queryKey: { readonly name: string; readonly value: string } | undefined;
  readonly tokens: TokenSource | undefined;
  readonly codecs: Codecs;
  readonly services: Pick<ConnectorServices, 'clock' | 'log'>;
}

/** Codecs by format, each loaded once and then available synchronously. */
export class Codecs {
  readonly #loaded = new Map<FormatName, Codec>();

  get(format: FormatName): Codec | Promise<Codec> {
    return this.#loaded.get(format) ?? this.#load(format);
  }

  async #load(format: FormatName): Promise<Codec> {
    const codec = await codecOf(format);
    this.#loaded.set(format, codec);
    return codec;
  }
}
