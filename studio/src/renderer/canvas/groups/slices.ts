/** A box of a picture, in its pixels. */
export interface Placed {
  readonly id: string;
  readonly type?: string | undefined;
  readonly position: { readonly x: number; readonly y: number };
  readonly width?: number | undefined;
  readonly height?: number | undefined;
}

/** The part of the picture that is in sight. */
export interface Sight {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface Slice {
  /** Ids of what is drawn. */
  readonly shown: ReadonlySet<string>;
  /** Whether that is what is wanted. */
  readonly isWhole: boolean;
}

/** A part of the sight around it, in which boxes are drawn ahead. */
const margin = 0.1;
/** It takes less to remove a box than to draw one. */
const removedPerDrawn = 3;

/**
 * What the next frame draws of the boxes that are wanted: those that are drawn already, and at most `size` others, from
 * the middle of the sight outwards. Frames of groups and connectors are wanted wherever they are, since lines end at
 * them; flows where they are in sight. What is not wanted any more goes in slices too.
 */
export function sliceOf(
  wanted: readonly Placed[],
  shown: ReadonlySet<string>,
  { x, y, width, height }: Sight,
  size: number,
): Slice {
  const [left, top] = [x - width * margin, y - height * margin];
  const [right, bottom] = [x + width * (1 + margin), y + height * (1 + margin)];
  const isIn = ({ type, position, width: wide = 0, height: high = 0 }: Placed) =>
    type !== 'flow' ||
    (position.x + wide >= left && position.y + high >= top && position.x <= right && position.y <= bottom);
  const present = wanted.filter(isIn);
  const ids = new Set(present.map(({ id }) => id));
  const fresh = present.filter(({ id }) => !shown.has(id));
  const gone = [...shown].filter((id) => !ids.has(id));
  if (fresh.length === 0 && gone.length === 0) return { shown, isWhole: true };
  const distance = ({ type, position }: Placed) =>
    type === 'flow' ? Math.abs(position.x - x - width / 2) + Math.abs(position.y - y - height / 2) : -1;
  const isWhole = fresh.length <= size && gone.length <= size * removedPerDrawn;
  const added = fresh.length <= size ? fresh : fresh.toSorted((a, b) => distance(a) - distance(b)).slice(0, size);
  const next = new Set(shown);
  for (const id of gone.slice(0, size * removedPerDrawn)) next.delete(id);
  for (const { id } of added) next.add(id);
  return { shown: next, isWhole };
}
