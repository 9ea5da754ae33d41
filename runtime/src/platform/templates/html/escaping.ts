import { printed } from '../functions/printing.ts';
import { Markup } from '../functions/values.ts';
import { addressPart, addressProblem, htmlText, queryPart, styleProblem, unquotedText } from './escapers.ts';
import type { Place } from './place.ts';

/** How a value is written at a place. Throws an Error, whose message is for people, for one that cannot be written there. */
export type Escape = (value: unknown) => string;

const addresses = new Set(['href', 'src', 'action', 'formaction', 'background', 'cite', 'poster', 'data', 'longdesc']);
/** Attributes whose value is a program, or a list of addresses. */
const refused = /^on|^(?:srcdoc|srcset|ping|http-equiv)$/;

/** How values are escaped at a place, and the place of what follows. A text is why no value can be written there. */
export function escapingAt(place: Place): readonly [Escape, Place] | string {
  const { state, element, attribute } = place;
  switch (state) {
    case 'text':
      return [(value) => (value instanceof Markup ? value.text : htmlText(printed(value))), place];
    case 'inside':
      if (element === 'style') return [inStyle, place];
      return element === 'textarea' || element === 'title'
        ? [(value) => htmlText(printed(value)), place]
        : `a value cannot be written inside of <${element}>`;
    case 'comment':
      return [() => '', place];
    case 'before':
    case 'value': {
      if (refused.test(attribute)) return `a value cannot be written in the attribute "${attribute}"`;
      const isOpen = state === 'before';
      const quoted = isOpen || place.quote === '' ? unquotedText : htmlText;
      const behind: Place = isOpen
        ? { ...place, state: 'value', quote: '', part: 'path' }
        : { ...place, part: partBehind(place) };
      if (attribute === 'style') return [(value) => quoted(inStyle(value)), behind];
      if (!addresses.has(attribute.replace(/^xlink:/, ''))) return [(value) => quoted(printed(value)), behind];
      const part = isOpen ? 'begin' : place.part;
      return [(value) => quoted(inAddress(printed(value), part)), behind];
    }
    default:
      return 'a value cannot be the name of a tag or of an attribute';
  }
}

/** A value may have a `?` or not: what follows is read as if it had no `?`. */
function partBehind({ part }: Place): Place['part'] {
  return part === 'begin' ? 'path' : part;
}

function inAddress(text: string, part: Place['part']): string {
  if (part === 'query') return queryPart(text);
  const problem = part === 'begin' ? addressProblem(text) : undefined;
  if (problem !== undefined) throw new Error(`the value is ${problem}`);
  return addressPart(text);
}

function inStyle(value: unknown): string {
  const text = printed(value);
  const problem = styleProblem(text);
  if (problem !== undefined) throw new Error(`the value in a style is ${problem}`);
  return text;
}
