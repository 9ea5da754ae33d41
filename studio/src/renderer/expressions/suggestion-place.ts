interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** Pixels: between field and list, between list and window, and what is room enough. */
const gap = 6;
const edge = 8;
const enough = 120;

/** Where a list of suggestions is drawn, in pixels of the window; it scrolls when it needs more than `height`. */
export interface SuggestionPlace {
  readonly left: number;
  readonly top: number | undefined;
  /** From the lower edge of the window; set where `top` is not. */
  readonly bottom: number | undefined;
  readonly height: number;
}

/** Beside a field, on the side with room for the list; `prefersBelow` decides where both have enough. */
export function placeSuggestions(
  field: Box,
  list: { readonly width: number; readonly height: number },
  window: { readonly width: number; readonly height: number },
  prefersBelow: boolean,
): SuggestionPlace {
  const below = window.height - field.bottom - gap - edge;
  const above = field.top - gap - edge;
  const wanted = Math.min(list.height, enough);
  const [first, second] = prefersBelow ? [below, above] : [above, below];
  const isFirst = first >= wanted || first >= second;
  const left = Math.max(edge, Math.min(field.left - edge, window.width - list.width - edge));
  return isFirst === prefersBelow
    ? { left, top: field.bottom + gap, bottom: undefined, height: below }
    : { left, top: undefined, bottom: window.height - field.top + gap, height: above };
}
