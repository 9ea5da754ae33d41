import { FileProblem, regularFile } from '../../../foundation/disk/regular-file.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import { Places } from '../../files/local/places.ts';
import { folderOf, joined, placeOf } from '../../files/path.ts';
import { isPng, mostPixels, pngProblem } from './png.ts';

/** Bytes of one file, and of all files of a document. */
const mostBytes = 20 * 1024 * 1024;
const mostTogether = 64 * 1024 * 1024;

/** The files that a document may name: those in the folder of its template, and what is in it as data. */
export class Resources {
  readonly #places: Places;
  readonly #beside: string;
  #bytes = 0;

  /** `root` is the real path of the folder, `template` the place of the template in it. */
  constructor(root: string, template: string) {
    this.#places = new Places(root);
    this.#beside = folderOf(template);
  }

  /** The bytes of a picture. Rejects with a Failure for another file, and for what is elsewhere. */
  async picture(source: string): Promise<Buffer> {
    const bytes = source.startsWith('data:') ? this.#counted(inData(source)) : await this.file(source, 'picture');
    const problem = pictureProblem(bytes);
    if (problem !== undefined) throw unusable('picture', source, problem);
    return bytes;
  }

  async font(path: string): Promise<Buffer> {
    const bytes = await this.file(path, 'font');
    const begin = bytes.toString('latin1', 0, 4);
    if (begin !== '\0\x01\0\0' && begin !== 'OTTO' && begin !== 'true')
      throw unusable('font', path, 'it is neither TrueType nor OpenType');
    return bytes;
  }

  async file(path: string, what: 'picture' | 'font'): Promise<Buffer> {
    if (/^[a-z][a-z0-9+.-]*:|^\/\//i.test(path))
      throw unusable(what, path, 'only files in the folder of the template, and data: in the document, are read');
    if (path === '') throw unusable(what, path, 'src is empty');
    const place = placeOf(path.startsWith('/') ? path : joined(this.#beside, path), 'src');
    const at = await this.#places.file(place);
    const bytes = await regularFile(at, mostBytes).catch((cause: NodeJS.ErrnoException) => {
      if (cause instanceof FileProblem) throw unusable(what, path, cause.message);
      throw unusable(what, path, cause.code === 'ENOENT' ? 'there is no such file' : String(cause.code));
    });
    return this.#counted(bytes);
  }

  #counted(bytes: Buffer): Buffer {
    this.#bytes += bytes.length;
    if (this.#bytes > mostTogether)
      throw new Failure(
        'body_too_large',
        `the pictures and fonts of the document have more than ${mostTogether} bytes`,
      );
    return bytes;
  }
}

function inData(source: string): Buffer {
  const comma = source.indexOf(',');
  if (comma < 0 || comma > 200 || !/;base64$/i.test(source.slice(0, comma)))
    throw unusable('picture', source, 'data: is read in base64');
  return Buffer.from(source.slice(comma + 1), 'base64');
}

function pictureProblem(bytes: Buffer): string | undefined {
  if (isPng(bytes)) return pngProblem(bytes);
  if (bytes[0] === 0xff && bytes[1] === 0xd8) return jpegProblem(bytes);
  return 'it is neither PNG nor JPEG';
}

/** Frames of JPEG (ITU-T T.81, B.1.1.3) begin with these; what describes Huffman tables and the like is not a frame. */
function jpegProblem(bytes: Buffer): string | undefined {
  for (let at = 2; at + 9 < bytes.length; ) {
    if (bytes[at] !== 0xff) return 'a marker is missing';
    const marker = bytes[at + 1] as number;
    if (marker === 0xff) {
      at++;
      continue;
    }
    if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)) {
      const [height, width] = [bytes.readUInt16BE(at + 5), bytes.readUInt16BE(at + 7)];
      if (width === 0 || height === 0) return 'it has no pixels';
      return width * height > mostPixels ? `it has more than ${mostPixels / 1_000_000} megapixels` : undefined;
    }
    const length = bytes.readUInt16BE(at + 2);
    if (length < 2) return 'a part of it has no length';
    at += 2 + length;
  }
  return 'it ends in the middle';
}

function unusable(what: string, source: string, problem: string): Failure {
  const shown = source.length > 80 ? `${source.slice(0, 80)}…` : source;
  return new Failure('connector_failed', `the ${what} "${shown}" cannot be used: ${problem}`, { retriable: false });
}
