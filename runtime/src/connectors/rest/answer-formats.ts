import type { HttpExchange } from '../../foundation/contracts/http.ts';
import type { BinaryAnswer } from '../../foundation/contracts/source.ts';
import { Failure } from '../../foundation/errors/failure.ts';
import {
  type Codec,
  type EncodingStyle,
  type FormatName,
  isTextFormat,
  mediaTypesOf,
} from '../../platform/formats/registry.ts';
import { accepted } from '../../platform/http/content/accept.ts';
import type { AnswerForm } from './answer.ts';

/** How the answers of one flow may be written. */
export interface AnswerRules {
  /** The format of answers where their callers choose none. */
  readonly format: FormatName;
  /** Formats that callers may choose by `Accept`; none: it is not consulted. */
  readonly chosen: readonly FormatName[];
  readonly style: EncodingStyle;
  readonly binary: BinaryAnswer | undefined;
  /** Whether answers have an `ETag`. */
  readonly tagged: boolean;
  /** Loaded before the first request. */
  readonly codec: (format: FormatName) => Codec;
}

/** The forms of the answers of one flow, one of which each request gets. */
export class AnswerForms {
  readonly #rules: AnswerRules;
  /** The format that each media type means which a caller may choose, the usual one first. */
  readonly #offers: ReadonlyMap<string, FormatName>;
  readonly #types: readonly string[];
  readonly #made = new Map<string, AnswerForm>();
  /** Made with the first request, when codecs are loaded. */
  #usual: AnswerForm | undefined = undefined;

  constructor(rules: AnswerRules) {
    this.#rules = rules;
    const formats = rules.chosen.length === 0 ? [] : [rules.format, ...rules.chosen];
    const offers = new Map<string, FormatName>();
    for (const format of formats)
      for (const type of mediaTypesOf(format)) if (!offers.has(type)) offers.set(type, format);
    this.#offers = offers;
    this.#types = [...offers.keys()];
  }

  /** The form of the answer to a request. Throws `not_acceptable`, before anything is done for the request. */
  for(exchange: HttpExchange): AnswerForm {
    if (this.#types.length === 0) return (this.#usual ??= this.#form(''));
    exchange.addHeader('vary', 'Accept');
    const type = accepted(exchange.request.headers.accept, this.#types);
    if (type !== undefined) return this.#form(type);
    // Bytes have a type of their own, which is not known before.
    if (this.#rules.binary !== undefined) return this.#form('');
    throw new Failure(
      'not_acceptable',
      `none of the accepted types can be written; there are ${this.#types.join(', ')}`,
    );
  }

  /** Every form that an answer can have. */
  all(): readonly AnswerForm[] {
    return this.#types.length === 0 ? [this.#form('')] : this.#types.map((type) => this.#form(type));
  }

  /** The empty type means that of the codec of the flow. */
  #form(type: string): AnswerForm {
    const known = this.#made.get(type);
    if (known !== undefined) return known;
    const { format, codec: codecOf, style, binary, tagged } = this.#rules;
    const chosen = this.#offers.get(type) ?? format;
    const codec = codecOf(chosen);
    const contentType = type === '' ? codec.contentType : isTextFormat(chosen) ? `${type}; charset=utf-8` : type;
    const form: AnswerForm = { codec, contentType, style, binary, tagged };
    this.#made.set(type, form);
    return form;
  }
}
