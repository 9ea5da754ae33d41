import { SaxesParser } from 'saxes';
import { Failure } from '../../../foundation/errors/failure.ts';
import { beyondBudget, type DecodingBudget } from '../budget.ts';

/** What a document has, in its order. Names are as they are written, with their prefixes. */
export interface XmlEvents {
  open?(name: string, attributes: Readonly<Record<string, string>>): void;
  close?(name: string): void;
  /** Text with its references resolved; `isData` of a CDATA section. */
  text?(text: string, isData: boolean): void;
}

/** Characters of one text, tag, comment or section, or of processing instructions in a row, of a document that comes piece by piece. */
const longestToken = 8 * 1024 * 1024;

/** Reasons of the parser that mean a declaration. */
const declarations = new Set(['incorrect syntax.', 'inappropriately located doctype declaration.']);

/**
 * Reads XML 1.0 (fifth edition) and 1.1 piece by piece. Document types and entities other than the five standard ones are
 * refused, so that no document is larger than its text. Throws `body_undecodable`, and `body_too_large` for what is out
 * of proportion.
 */
export class XmlReader {
  readonly #parser = new SaxesParser({ xmlns: false, position: true });
  readonly #budget: Pick<DecodingBudget, 'depth' | 'keys'>;
  #depth = 0;
  #attributes = 0;
  /** Characters since something of the document was whole. */
  #open = 0;

  constructor(events: XmlEvents, budget: Pick<DecodingBudget, 'depth' | 'keys'>) {
    this.#budget = budget;
    const parser = this.#parser;
    parser.ENTITIES = entities;
    // With more than seven handlers, engines keep the parser as a dictionary, and it takes six times as long.
    parser.on('doctype', () => {
      throw declared();
    });
    parser.on('attribute', () => {
      this.#open = 0;
      if (++this.#attributes > this.#budget.keys) throw beyondBudget(budget as DecodingBudget, 'keys');
    });
    parser.on('opentag', ({ name, attributes }) => {
      const has = this.#attributes > 0;
      this.#open = this.#attributes = 0;
      if (++this.#depth > budget.depth) throw beyondBudget(budget as DecodingBudget, 'depth');
      events.open?.(name, has ? attributes : noAttributes);
    });
    parser.on('closetag', ({ name }) => {
      this.#depth--;
      this.#open = 0;
      events.close?.(name);
    });
    for (const kind of ['text', 'cdata'] as const)
      parser.on(kind, (text) => {
        this.#open = 0;
        if (this.#depth > 0) events.text?.(text, kind === 'cdata');
      });
    parser.on('comment', () => {
      this.#open = 0;
    });
  }

  /** Characters that were read: where `open` is called, those up to the end of its tag. */
  get position(): number {
    return this.#parser.position;
  }

  write(text: string): void {
    this.#open += text.length;
    try {
      this.#parser.write(text);
    } catch (error) {
      throw failureOf(error);
    }
    if (this.#open > longestToken)
      throw new Failure('body_too_large', `the body has a text or tag of more than ${longestToken} characters`);
  }

  /** Says that nothing more comes. Throws for a document that is not whole. */
  end(): void {
    try {
      this.#parser.close();
    } catch (error) {
      throw failureOf(error);
    }
  }
}

/** Those of most elements: one object, so that nothing walks through another one for each. */
export const noAttributes: Readonly<Record<string, string>> = Object.freeze(
  Object.create(null) as Record<string, string>,
);

const standard: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

/** The entities that the parser knows. Its own table has the prototype of every object. */
const entities = new Proxy(Object.create(null) as Record<string, string>, {
  get(_, name) {
    if (typeof name !== 'string' || Object.hasOwn(standard, name)) return standard[name as string];
    const shown = /^[\w.:-]{1,100}$/.test(name) ? `the entity &${name}; is not accepted` : 'an & begins no entity';
    throw undecodable(shown);
  },
});

/** The failure of a document that is not well-formed. */
export function undecodable(reason: string, cause?: unknown): Failure {
  return new Failure('body_undecodable', `the body is not valid XML: ${reason}`, { cause });
}

function declared(): Failure {
  return undecodable('document types and entities are not accepted (<!…)');
}

/** The parser's messages may repeat a large part of the body. */
const shownReason = 200;

function failureOf(error: unknown): unknown {
  if (error instanceof Failure || !(error instanceof Error)) return error;
  const [, line, reason = error.message] = /^(\d+):\d+: ([\s\S]*)$/.exec(error.message) ?? [];
  if (declarations.has(reason)) return declared();
  const plain = reason.replace(/\.$/, '');
  const shown = plain.length > shownReason ? `${plain.slice(0, shownReason)}…` : plain;
  return undecodable(line === undefined ? shown : `${shown} (line ${line})`, error);
}
