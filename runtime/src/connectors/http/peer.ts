import { type Codec, codecOf, type EncodingStyle, type FormatName } from '../../platform/formats/registry.ts';
import type { OpenAccess } from '../../platform/net/client/access.ts';
import type { HedgeSettings } from '../../platform/net/client/hedging-sender.ts';
import type { AnswerCache } from './cache/answer-cache.ts';

/** What every call of one connector shares once it is open. */
export interface Peer extends OpenAccess {
  readonly name: string;
  readonly format: FormatName;
  /** Formats that answers are read in. */
  readonly bodyFormats: readonly FormatName[];
  readonly style: EncodingStyle;
  readonly codecs: Codecs;
  readonly cache: AnswerCache | undefined;
  readonly hedge: HedgeSettings | undefined;
  /** Called for each request that is sent again. */
  readonly sentAgain: () => void;
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
