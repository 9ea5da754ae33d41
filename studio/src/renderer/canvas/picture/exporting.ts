import type { Studio } from '../../shell/studio.ts';
import { boundsOf, type Canvas } from '../canvas.ts';
import { edgePath } from './edge.tsx';
import { type Colours, pictureColours, svgOf } from './export-svg.ts';

/** Pixels of the longer side of a picture, above which it is made smaller. */
const longestSide = 8192;

/** Saves the canvas as it is drawn now. Rejects when the picture cannot be made. */
export async function exportCanvas(studio: Studio, canvas: Canvas, as: 'svg' | 'png'): Promise<void> {
  const svg = svgOf(canvas.drawn.value, coloursNow(), (from, to, edge) =>
    edgePath(
      { sourceX: from.x, sourceY: from.y, targetX: to.x, targetY: to.y },
      edge,
      canvas.drawn.value.alone !== undefined,
    ),
  );
  const name = `${studio.project.info.value?.name ?? 'canvas'}.${as}`;
  const isPng = as === 'png';
  const content = isPng ? await pngOf(svg, boundsOf(canvas.drawn.value)) : svg;
  const { saved } = await studio.bridge.call('system.saveAs', { name, content, base64: isPng });
  if (!saved && studio.bridge.host === 'browser')
    download(name, isPng ? `data:image/png;base64,${content}` : svgUrl(svg));
}

function coloursNow(): Colours {
  const style = getComputedStyle(document.documentElement);
  return Object.fromEntries(pictureColours.map((name) => [name, style.getPropertyValue(`--${name}`).trim()]));
}

function svgUrl(svg: string): string {
  return `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
}

/** The picture as PNG in base64, twice as large as on the screen where that is not too much. */
async function pngOf(svg: string, { width, height }: { readonly width: number; readonly height: number }) {
  const image = new Image();
  image.src = svgUrl(svg);
  await image.decode();
  const scale = Math.min(2, longestSide / Math.max(width, height));
  const paper = document.createElement('canvas');
  paper.width = Math.ceil(image.naturalWidth * scale);
  paper.height = Math.ceil(image.naturalHeight * scale);
  const context = paper.getContext('2d');
  if (context === null) throw new Error('the picture cannot be drawn here');
  context.drawImage(image, 0, 0, paper.width, paper.height);
  return paper.toDataURL('image/png').replace(/^[^,]*,/, '');
}

function download(name: string, url: string): void {
  const link = document.createElement('a');
  link.download = name;
  link.href = url;
  link.click();
}
