/** Bytes of the largest icon of a plugin. */
export const largestIcon = 32 * 1024;

/** What an icon may be made of: shapes and colours. What runs, loads, animates or multiplies other parts is not among them. */
const elements = new Set([
  ...['svg', 'g', 'title', 'desc', 'defs', 'linearGradient', 'radialGradient', 'stop', 'clipPath'],
  ...['path', 'circle', 'ellipse', 'rect', 'line', 'polyline', 'polygon'],
]);

/**
 * What is wrong with the text of an icon; undefined where it is an SVG of plain shapes. A small file can take a viewer
 * minutes to draw when its parts refer to each other, so that only what is known to be cheap is accepted.
 */
export function iconProblem(text: string): string | undefined {
  if (new TextEncoder().encode(text).length > largestIcon) return `it is larger than ${largestIcon / 1024} KiB`;
  const bare = text.replace(/<!--[\s\S]*?-->/g, '').replace(/^\uFEFF?\s*<\?xml[^>]*\?>/, '');
  if (!/^\s*<svg[\s>]/.test(bare)) return 'it does not begin with <svg>';
  for (const [, sign = '', name = ''] of bare.matchAll(/<([!?/]?)([^\s>/]*)/g)) {
    if (sign === '!' || sign === '?') return `it holds <${sign}${name}>, which an icon may not`;
    if (!elements.has(name)) return `it holds <${name}>; an icon is made of ${[...elements].join(', ')}`;
  }
  return undefined;
}
