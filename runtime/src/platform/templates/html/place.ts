/**
 * Where in an HTML text something is (HTML, 13.2.5, without what only pages of scripts need): between tags, in a tag, in
 * the value of an attribute. What decides how a value is escaped is data, so that two places can be compared.
 */
export interface Place {
  readonly state:
    | 'text'
    | 'open'
    | 'name'
    | 'tag'
    | 'attribute'
    | 'behind'
    | 'before'
    | 'value'
    | 'comment'
    | 'declaration'
    | 'inside';
  /** The tag; of `inside` the element whose content is not markup. */
  readonly element: string;
  readonly attribute: string;
  /** What ends a value; empty where blanks do. */
  readonly quote: '"' | "'" | '';
  /** Of a value, how far it is written: a text that acts can only be at its beginning, `?` and `#` change what is meant. */
  readonly part: 'begin' | 'path' | 'query';
}

export const betweenTags: Place = { state: 'text', element: '', attribute: '', quote: '', part: 'begin' };

export function isSamePlace(a: Place, b: Place): boolean {
  return (Object.keys(betweenTags) as (keyof Place)[]).every((name) => a[name] === b[name]);
}

/** Elements whose content is text, whatever it looks like. */
const textual = new Set(['script', 'style', 'textarea', 'title', 'xmp', 'iframe', 'noembed', 'noframes']);

/** The place behind a text that begins at a place. */
export function placeBehind(begin: Place, text: string): Place {
  let place = begin;
  for (let at = 0; at < text.length; ) {
    const [next, end] = step(place, text, at);
    place = next;
    at = end;
  }
  return place;
}

/** Continues by at least one character. */
function step(place: Place, text: string, at: number): [Place, number] {
  const character = text[at] as string;
  switch (place.state) {
    case 'text': {
      const open = text.indexOf('<', at);
      if (open < 0) return [place, text.length];
      if (text.startsWith('<!--', open)) return [{ ...betweenTags, state: 'comment' }, open + 4];
      return [{ ...betweenTags, state: 'open' }, open + 1];
    }
    case 'open':
      if (/[a-z/]/i.test(character))
        return [{ ...betweenTags, state: 'name', element: character.toLowerCase() }, at + 1];
      return character === '!' || character === '?'
        ? [{ ...betweenTags, state: 'declaration' }, at + 1]
        : [betweenTags, at];
    case 'name':
      if (/[\s/>]/.test(character) && place.element !== '/') return [{ ...place, state: 'tag' }, at];
      return [{ ...place, element: place.element + character.toLowerCase() }, at + 1];
    case 'tag':
      if (character === '>') return [behindTag(place), at + 1];
      return /[\s/]/.test(character)
        ? [place, at + 1]
        : [{ ...place, state: 'attribute', attribute: character.toLowerCase() }, at + 1];
    case 'attribute':
      if (character === '=') return [{ ...place, state: 'before' }, at + 1];
      if (/[\s/>]/.test(character)) return [{ ...place, state: 'behind' }, at];
      return [{ ...place, attribute: place.attribute + character.toLowerCase() }, at + 1];
    case 'behind':
      if (/\s/.test(character)) return [place, at + 1];
      if (character === '=') return [{ ...place, state: 'before' }, at + 1];
      return [{ ...place, state: 'tag', attribute: '' }, at];
    case 'before':
      if (/\s/.test(character)) return [place, at + 1];
      if (character === '"' || character === "'")
        return [{ ...place, state: 'value', quote: character, part: 'begin' }, at + 1];
      if (character === '>') return [behindTag(place), at + 1];
      return [{ ...place, state: 'value', quote: '', part: 'begin' }, at];
    case 'value': {
      const isEnd = place.quote === '' ? /[\s>]/.test(character) : character === place.quote;
      if (isEnd) return [inTag(place), at + (place.quote === '' ? 0 : 1)];
      const part = /[?#]/.test(character) || place.part === 'query' ? 'query' : 'path';
      // Blanks before an address are skipped by those who read it.
      return [part === 'path' && place.part === 'begin' && /\s/.test(character) ? place : { ...place, part }, at + 1];
    }
    case 'comment': {
      const close = text.indexOf('-->', at);
      return close < 0 ? [place, text.length] : [betweenTags, close + 3];
    }
    case 'declaration': {
      const close = text.indexOf('>', at);
      return close < 0 ? [place, text.length] : [betweenTags, close + 1];
    }
    case 'inside': {
      const close = text.toLowerCase().indexOf(`</${place.element}`, at);
      if (close < 0) return [place, text.length];
      return [{ ...betweenTags, state: 'tag', element: `/${place.element}` }, close + 2 + place.element.length];
    }
  }
}

function inTag(place: Place): Place {
  return { ...place, state: 'tag', attribute: '', quote: '', part: 'begin' };
}

function behindTag({ element }: Place): Place {
  return textual.has(element) ? { ...betweenTags, state: 'inside', element } : betweenTags;
}
