import { type Declarations, pointsIn } from '../html/declarations.ts';

/** Points at the four sides of a box. */
export interface Sides {
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
  readonly left: number;
}

/** `margin` or `padding` of an element, where it is said: in one word or side by side. */
export function sidesOf(
  own: Declarations,
  property: 'margin' | 'padding',
  usual: Sides,
  width: number,
  em: number,
): Sides {
  if (own.size === 0) return usual;
  const [top, right = top, bottom = top, left = right] = (own.get(property) ?? '').split(/\s+/);
  const side = (name: keyof Sides, shorthand: string | undefined) => {
    const points = pointsIn(own.get(`${property}-${name}`) ?? shorthand, width, em) ?? usual[name];
    return Math.max(0, points);
  };
  return {
    top: side('top', top),
    right: side('right', right),
    bottom: side('bottom', bottom),
    left: side('left', left),
  };
}

export const noSides: Sides = { top: 0, right: 0, bottom: 0, left: 0 };
