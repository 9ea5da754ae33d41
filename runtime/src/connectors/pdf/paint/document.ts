import PdfDocument from 'pdfkit';
import { Failure } from '../../../foundation/errors/failure.ts';
import { type FontFace, Sheet } from '../html/sheet.ts';
import { styleOf, type TextStyle } from '../html/style.ts';
import { type Element, elementsOf, readHtml } from '../html/tree.ts';
import { addContent, collected, type Setting } from '../layout/flow.ts';
import type { Box } from '../layout/lines.ts';
import { type PageArea, Pages } from '../layout/pages.ts';
import { type Collector, paintAll } from '../layout/piece.ts';
import { Canvas, type KitDocument, type Picture } from './canvas.ts';
import { type FontDocument, Fonts, isBuiltIn } from './fonts.ts';
import { Resources } from './resources.ts';

/** A document to be made. Lengths in points. */
export interface DocumentJob {
  readonly html: string;
  readonly width: number;
  readonly height: number;
  readonly left: number;
  readonly top: number;
  readonly right: number;
  /** A family, or the path of a font in the folder of the template. */
  readonly font: string;
  /** Real path of the folder of templates, and the place of the template in it. */
  readonly root: string;
  readonly template: string;
  readonly mostPages: number;
}

export interface MadeDocument {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly pages: number;
  /** Characters that no font has, at most some of them. */
  readonly lacking: readonly string[];
  /** Elements that are not printed. */
  readonly silent: readonly string[];
}

const millimetre = 72 / 25.4;
/** What is left free at the bottom of a page, and between the text and what is repeated on each page. */
const bottomMargin = 15 * millimetre;
const gap = 4 * millimetre;
/** Pictures of a document, and characters that are reported. */
const mostPictures = 2000;
const mostReported = 20;

/** Makes a document of HTML. Rejects with a Failure. */
export async function makeDocument(job: DocumentJob): Promise<MadeDocument> {
  const html = readHtml(job.html);
  const sheet = new Sheet(html.sheets);
  const resources = new Resources(job.root, job.template);
  const own: readonly FontFace[] = isBuiltIn(job.font)
    ? []
    : [{ family: job.font.toLowerCase(), path: job.font, bold: false, italic: false }];
  const isDeclared = sheet.fonts.some(({ family }) => family === job.font.toLowerCase());
  const faces = await Promise.all(
    [...(isDeclared ? [] : own), ...sheet.fonts].map(async (face) => ({
      ...face,
      bytes: await resources.font(face.path),
    })),
  );
  const base: TextStyle = { ...plain, families: [job.font.toLowerCase()] };
  const fixed = fixedIn(html.root, base, sheet);
  const kit = new PdfDocument({
    autoFirstPage: false,
    bufferPages: fixed.length > 0,
    size: [job.width, job.height],
    margin: 0,
    info: { Producer: 'svc', Creator: 'svc', ...(html.title !== '' && { Title: html.title }) },
  });
  const ended = collect(kit);
  const pictures = await loadPictures(html.root, resources, kit);
  const lacking = new Set<string>();
  const setting: Setting = {
    sheet,
    fonts: new Fonts(kit as unknown as FontDocument, faces),
    picture: (source) => pictures.get(source) as Picture,
    lacks: (character) => void (lacking.size < mostReported && lacking.add(character)),
    tallest: job.height - job.top - bottomMargin,
  };
  const canvas = new Canvas(kit as unknown as KitDocument);
  const box: Box = { x: job.left, width: Math.max(1, job.width - job.left - job.right) };
  const repeated = fixed.map((each) => ({ ...each, height: laidOut(each, box, setting, '9999', '9999').height }));
  const area = areaOf(job, box, repeated);
  const whole: Setting = { ...setting, tallest: area.bottom - area.top };
  const pages = new Pages(area, canvas, () => void kit.addPage(), job.mostPages);
  addContent(html.root, base, box, pages, whole);
  pages.end();
  for (let at = 0; repeated.length > 0 && at < pages.count; at++) {
    kit.switchToPage(at);
    for (const each of repeated) {
      const { pieces } = laidOut(each, box, setting, String(at + 1), String(pages.count));
      paintAll(pieces, canvas, each.isTop ? job.top : job.height - bottomMargin - each.height);
    }
  }
  kit.end();
  const bytes = await ended;
  return { bytes, pages: pages.count, lacking: [...lacking], silent: [...html.silent] };
}

const plain: Omit<TextStyle, 'families'> = {
  bold: false,
  italic: false,
  size: 12,
  colour: '#000000',
  align: 'left',
  underline: false,
  strike: false,
  keepsBlanks: false,
  raised: 0,
  link: undefined,
};

/** An element that is on each page. */
interface Fixed {
  readonly element: Element;
  readonly text: TextStyle;
  readonly isTop: boolean;
}

/** Elements of the body with `position: fixed`, which print on every page (CSS 2.1, 9.6.1). */
function fixedIn(root: Element, base: TextStyle, sheet: Sheet): readonly Fixed[] {
  return root.children.flatMap((child): readonly Fixed[] => {
    if (typeof child === 'string') return [];
    const { text, own } = styleOf(child, base, sheet);
    if (child.name === 'html' || child.name === 'body') return fixedIn(child, text, sheet);
    if (own.get('position')?.toLowerCase() !== 'fixed') return [];
    return [{ element: child, text, isTop: own.has('top') || (child.name === 'header' && !own.has('bottom')) }];
  });
}

function laidOut({ element, text }: Fixed, box: Box, setting: Setting, page: string, count: string): Collector {
  return collected(element, text, box, { ...setting, counters: { pageNumber: page, totalPages: count } });
}

function areaOf(job: DocumentJob, box: Box, repeated: readonly (Fixed & { readonly height: number })[]): PageArea {
  const above = Math.max(0, ...repeated.map(({ isTop, height }) => (isTop ? height + gap : 0)));
  const below = Math.max(0, ...repeated.map(({ isTop, height }) => (isTop ? 0 : height + gap)));
  const [top, bottom] = [job.top + above, job.height - bottomMargin - below];
  if (bottom - top < 36)
    throw new Failure('value_refused', 'the margins and what is repeated on each page leave no room for text');
  return { left: box.x, width: box.width, top, bottom };
}

/** Its types do not have the method. */
interface PictureSource {
  openImage(bytes: Uint8Array): Picture;
}

async function loadPictures(
  root: Element,
  resources: Resources,
  kit: PDFKit.PDFDocument,
): Promise<ReadonlyMap<string, Picture>> {
  const pictures = new Map<string, Picture>();
  for (const { name, attributes } of elementsOf(root)) {
    const source = attributes['src'] ?? '';
    if (name !== 'img' || pictures.has(source)) continue;
    if (pictures.size >= mostPictures)
      throw new Failure('body_too_large', `the document has more than ${mostPictures} pictures`);
    const bytes = await resources.picture(source);
    try {
      pictures.set(source, (kit as unknown as PictureSource).openImage(bytes));
    } catch (cause) {
      throw new Failure('connector_failed', 'a picture cannot be read', { cause, retriable: false });
    }
  }
  return pictures;
}

function collect(kit: PDFKit.PDFDocument): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  const { promise, resolve, reject } = Promise.withResolvers<Uint8Array<ArrayBuffer>>();
  kit.on('data', (chunk: Uint8Array) => chunks.push(chunk));
  kit.on('error', reject);
  kit.on('end', () => {
    const bytes = new Uint8Array(chunks.reduce((sum, { length }) => sum + length, 0));
    let at = 0;
    for (const chunk of chunks) {
      bytes.set(chunk, at);
      at += chunk.length;
    }
    resolve(bytes);
  });
  promise.catch(() => undefined);
  return promise;
}
