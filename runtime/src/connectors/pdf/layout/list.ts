import type { TextStyle } from '../html/style.ts';
import type { Element } from '../html/tree.ts';
import type { Canvas } from '../paint/canvas.ts';
import type { Face, Fonts } from '../paint/fonts.ts';
import { leading } from './lines.ts';

/** Paints the bullet or the number of an item left of it; undefined where there is no marker. */
export function markerOf(
  item: Element,
  list: Element,
  style: TextStyle,
  fonts: Fonts,
): ((canvas: Canvas, x: number, y: number) => void) | undefined {
  const [face] = fonts.facesOf(style.families, style.bold, style.italic) as readonly [Face, ...Face[]];
  const text = list.name === 'ol' ? `${numberOf(item, list)}.` : '•';
  if (![...text].every((character) => face.has(character.codePointAt(0) as number))) return undefined;
  const { size, colour } = style;
  const wide = face.width(text) * size;
  const gap = (size * leading - (face.ascender - face.descender) * size) / 2;
  return (canvas, x, y) =>
    canvas.text(text, face, size, colour, x - wide - size * 0.4, y + gap + face.ascender * size, wide);
}

/** Numbers are counted once for each list. */
const numbered = new WeakMap<Element, Map<Element, number>>();

function numberOf(item: Element, list: Element): number {
  let numbers = numbered.get(list);
  if (numbers === undefined) {
    numbers = new Map();
    numbered.set(list, numbers);
    let next = Number.parseInt(list.attributes['start'] ?? '1', 10) || 1;
    for (const child of list.children) {
      if (typeof child === 'string' || child.name !== 'li') continue;
      const own = Number.parseInt(child.attributes['value'] ?? '', 10);
      if (Number.isFinite(own)) next = own;
      numbers.set(child, next++);
    }
  }
  return numbers.get(item) ?? 1;
}
