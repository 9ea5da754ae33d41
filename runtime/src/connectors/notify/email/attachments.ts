import type { ConnectorServices } from '../../../foundation/contracts/connector.ts';
import { Content, ContentOwner } from '../../../foundation/contracts/content.ts';
import type { Execute } from '../../../foundation/contracts/target.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import { mediaTypeOfFile } from '../../../platform/formats/files/media-types.ts';
import { checkLine } from './headers.ts';
import type { Attachment } from './letter.ts';

/** What a connector says of the files of its letters. */
export interface AttachmentSettings {
  /** Connectors whose files letters may have. */
  readonly sources: readonly string[];
  /** Bytes of all files of one letter. */
  readonly most: number;
}

type Fields = Readonly<Record<string, unknown>>;

const mostFiles = 100;
const mediaType = /^[\w!#$&^.+-]{1,127}\/[\w!#$&^.+-]{1,127}(?:; ?[\w-]{1,40}=(?:[\w.+-]{1,80}|"[\w .+-]{1,80}"))*$/;
const contentId = /^[\w.!#$%&'*+/=?^`{|}~@-]{1,200}$/;
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Media types of files that are formats too, by the ending of their names. */
const formatTypes: Readonly<Record<string, string>> = {
  csv: 'text/csv',
  json: 'application/json',
  pdf: 'application/pdf',
  tsv: 'text/tab-separated-values',
  txt: 'text/plain',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  xml: 'application/xml',
};

/** Reads the files of letters: those that messages bring, and those of connectors that the configuration lists. */
export class Attachments {
  readonly #settings: AttachmentSettings;
  readonly #downloads: ReadonlyMap<string, Execute>;

  constructor(settings: AttachmentSettings, services: Pick<ConnectorServices, 'lookup'>) {
    this.#settings = settings;
    this.#downloads = new Map(settings.sources.map((source) => [source, downloadOf(source, services)]));
  }

  /** Rejects with `value_refused` for what is not a file, and with the failure of the connector that has it. */
  async read(given: unknown, signal: AbortSignal): Promise<readonly Attachment[]> {
    if (given === undefined || given === null) return [];
    const all = Array.isArray(given) ? given : [given];
    if (all.length > mostFiles) throw refused(`a letter has at most ${mostFiles} attachments`);
    const read: Attachment[] = [];
    let left = this.#settings.most;
    for (const each of all) {
      const attachment = await this.#one(each, left, signal);
      left -= attachment.bytes.length;
      if (left < 0) throw this.#tooLarge();
      read.push(attachment);
    }
    return read;
  }

  async #one(value: unknown, left: number, signal: AbortSignal): Promise<Attachment> {
    if (value instanceof Content) return this.#labelled({}, value, await this.#bytesOf(value, left, signal));
    if (typeof value !== 'object' || value === null || Array.isArray(value) || ArrayBuffer.isView(value))
      throw refused('an attachment is a file, or a map with content, or with connector and path');
    const fields = value as Fields;
    if (isGiven(fields['url']))
      throw refused(
        'an attachment is fetched from no url: name a connector in attachments_from, and write connector and path',
      );
    if (isGiven(fields['connector'])) return this.#ofConnector(fields, left, signal);
    return this.#labelled(fields, undefined, await this.#given(fields, left, signal));
  }

  async #given(fields: Fields, left: number, signal: AbortSignal): Promise<Buffer> {
    const content = ['content', 'data', '_binary'].find((name) => isGiven(fields[name]));
    if (content === undefined) throw refused('an attachment has neither content nor connector');
    const value = fields[content];
    if (value instanceof Content) return this.#bytesOf(value, left, signal);
    if (ArrayBuffer.isView(value)) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
    if (typeof value !== 'string') throw refused(`${content} of an attachment must be a text, bytes or a file`);
    if (value.length > left * 2 + 4) throw this.#tooLarge();
    const encoding = fields['encoding'] ?? (content === 'content' ? undefined : 'base64');
    if (!['base64', 'text', undefined].includes(encoding as string))
      throw refused('encoding of an attachment must be base64 or text');
    const isBase64 = encoding !== 'text' && base64.test(value);
    if (encoding === 'base64' && !isBase64) throw refused(`${content} of an attachment is not base64`);
    return isBase64 ? Buffer.from(value, 'base64') : Buffer.from(value.toWellFormed());
  }

  async #ofConnector(fields: Fields, left: number, signal: AbortSignal): Promise<Attachment> {
    const { connector, path = fields['key'] } = fields;
    const download = this.#downloads.get(String(connector));
    // The list is that of the configuration: a message of a caller reaches no other files.
    if (download === undefined) throw refused('connector of an attachment is not in attachments_from of the connector');
    if (typeof path !== 'string' || path === '') throw refused('an attachment of a connector needs a path');
    const contents = new ContentOwner();
    try {
      const { value } = await download({ params: { path }, signal, contents });
      if (!(value instanceof Content)) throw refused('connector of an attachment has no files');
      return this.#labelled(fields, value, await this.#bytesOf(value, left, signal));
    } finally {
      contents.release();
    }
  }

  async #bytesOf({ bytes }: Content, left: number, signal: AbortSignal): Promise<Buffer> {
    const { size, inMemory } = bytes;
    if (size !== undefined && size > left) throw this.#tooLarge();
    if (inMemory !== undefined) return Buffer.from(inMemory);
    const pieces: Buffer[] = [];
    let length = 0;
    const stream = bytes.stream();
    const end = () => void stream.destroy(signal.reason as Error);
    signal.addEventListener('abort', end, { once: true });
    try {
      for await (const piece of stream as AsyncIterable<Uint8Array>) {
        length += piece.length;
        if (length > left) throw this.#tooLarge();
        // Its reader may free it, so that it is copied.
        pieces.push(Buffer.from(piece));
      }
      return Buffer.concat(pieces);
    } finally {
      signal.removeEventListener('abort', end);
    }
  }

  #labelled(fields: Fields, content: Content | undefined, bytes: Buffer): Attachment {
    const filename =
      textOf(fields, ['filename', '_filename', 'name']) ?? (content?.filename || undefined) ?? 'attachment';
    checkLine(filename, 'filename of an attachment');
    const contentType =
      textOf(fields, ['content_type', '_content_type', 'type']) ??
      (content?.content_type || undefined) ??
      mediaTypeOfFile(filename) ??
      formatTypes[filename.slice(filename.lastIndexOf('.') + 1).toLowerCase()] ??
      'application/octet-stream';
    if (!mediaType.test(contentType)) throw refused('content_type of an attachment is not a media type');
    const id = textOf(fields, ['content_id'])?.replace(/^<(.*)>$/, '$1');
    if (id !== undefined && !contentId.test(id))
      throw refused('content_id of an attachment has other characters than a name');
    return { filename: filename.replace(/^.*[\\/]/, '') || 'attachment', contentType, contentId: id, bytes };
  }

  #tooLarge(): Failure {
    return refused(`the attachments are larger than ${this.#settings.most} bytes (max_attachments)`);
  }
}

function downloadOf(source: string, { lookup }: Pick<ConnectorServices, 'lookup'>): Execute {
  return lookup(source, {
    verb: 'call',
    operation: 'download',
    target: undefined,
    query: undefined,
    timeout: undefined,
    exact: false,
    flow: '',
    label: 'attachments of a letter',
  });
}

function textOf(fields: Fields, names: readonly string[]): string | undefined {
  const name = names.find((each) => isGiven(fields[each]));
  const value = name === undefined ? undefined : fields[name];
  if (value !== undefined && typeof value !== 'string') throw refused(`${name} of an attachment must be a text`);
  return value?.toWellFormed();
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '';
}

function refused(message: string): Failure {
  return new Failure('value_refused', message);
}
