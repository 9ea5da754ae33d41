import { basename, dirname, resolve } from 'node:path';
import type { CallResult } from '../../foundation/contracts/call-result.ts';
import type { Connector, ConnectorServices } from '../../foundation/contracts/connector.ts';
import type { CallDescription, Execute, Target } from '../../foundation/contracts/target.ts';
import { Failure } from '../../foundation/errors/failure.ts';
import { Exchanges } from '../files/exchanges.ts';
import { nameOf, placeOf } from '../files/path.ts';
import { TemplateFiles } from '../files/template-files.ts';
import { pdfOperation } from './operations.ts';
import { OutputFolder } from './output-folder.ts';
import type { MadeDocument } from './paint/document.ts';
import { type Asked, askedIn } from './payload.ts';

/** What the blocks of all drivers say. */
export interface DocumentConfig {
  readonly template: string;
  readonly output_dir: string;
  readonly escape: boolean;
  readonly timeout: number;
}

/** A printed template. */
export interface Page {
  readonly html: string;
  /** Real path of the folder that templates, pictures and fonts are in. */
  readonly root: string;
  /** The template in it. */
  readonly template: string;
}

/** What makes documents of pages. */
export interface DocumentMaker {
  /** Finds what it needs. Rejects with a Failure. Absent: it needs nothing. */
  open?(): Promise<void>;
  /** Frees it, when no document is being made. May be called twice. */
  close?(): Promise<void>;
  /** Rejects with a Failure, and with the reason of the signal. `timeout` is what the call may take in milliseconds. */
  make(page: Page, signal: AbortSignal, timeout: number): Promise<Pick<MadeDocument, 'bytes'> & Partial<MadeDocument>>;
}

/** Characters of the HTML of a document. */
const mostHtml = 64 * 1024 * 1024;
/** What the log reports once. */
const mostReported = 1000;

/** Documents of templates and payloads. */
export class DocumentConnector implements Connector {
  readonly name: string;
  readonly target: Target;
  readonly #config: DocumentConfig;
  readonly #services: ConnectorServices;
  readonly #templates: TemplateFiles;
  readonly #output: OutputFolder;
  readonly #exchanges: Exchanges;
  readonly #maker: DocumentMaker;
  readonly #reported = new Set<string>();
  #saves = false;
  #isOpen = false;

  constructor(name: string, config: DocumentConfig, services: ConnectorServices, maker: DocumentMaker) {
    this.name = name;
    this.#config = config;
    this.#services = services;
    const { directory } = services;
    const template = resolve(directory, config.template);
    const dialect = { escaping: config.escape ? 'html' : 'none', pipes: true } as const;
    this.#templates = new TemplateFiles(dirname(template), basename(template), dialect);
    this.#output = new OutputFolder(resolve(directory, config.output_dir), name);
    this.#exchanges = new Exchanges(name);
    this.#maker = maker;
    this.target = { prepare: (call) => this.#prepare(call) };
  }

  /** Opens without its template: that is reported, and each call fails until it is there. */
  async open(): Promise<void> {
    if (this.#isOpen) return;
    await this.#maker.open?.();
    if (this.#saves && this.#services.isDryRun !== true) await this.#output.open();
    const problem = await this.#problem();
    if (problem !== undefined) this.#services.log.warn(problem);
    this.#isOpen = true;
  }

  async close(cut?: AbortSignal): Promise<void> {
    this.#isOpen = false;
    await this.#exchanges.drain(cut);
    await this.#maker.close?.();
  }

  /** Degraded while its template cannot be used: a message may name another one. */
  async check(): Promise<string | undefined> {
    if (!this.#isOpen) throw this.#failure('is not open');
    return this.#output.disk.problem ?? (await this.#problem());
  }

  async #problem(): Promise<string | undefined> {
    return this.#templates.load(undefined).then(
      () => undefined,
      (error: unknown) => (error as Error).message,
    );
  }

  #prepare({ operation, target, timeout = this.#config.timeout, exact, verb }: CallDescription): Execute {
    const does = pdfOperation(operation);
    if (does === undefined) throw new Failure('connector_failed', `"${operation}" is unknown`, { retriable: false });
    if (does === 'save') this.#saves = true;
    const whole = (size: number) => (exact ? BigInt(size) : size);
    const answered = (row: Readonly<Record<string, unknown>>): CallResult =>
      verb === 'call' ? { value: row } : { rows: [row] };
    return async (request) => {
      if (!this.#isOpen) throw this.#failure('is not open');
      return this.#exchanges.run(request, timeout, async (exchange) => {
        const asked = askedIn(request, target);
        // A name that leads out is refused before any work, and also where nothing is kept.
        const filename = placeOf(asked.filename, 'filename');
        const { bytes } = await this.#make(asked, exchange.signal, timeout);
        const size = whole(bytes.length);
        if (does === 'save')
          return answered({ file_path: await this.#output.save(filename, bytes, exchange), filename, size });
        const content = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
        return answered({ _binary: content, _content_type: 'application/pdf', _filename: nameOf(filename), size });
      });
    };
  }

  async #make(
    { template: named, data }: Asked,
    signal: AbortSignal,
    timeout: number,
  ): Promise<Pick<MadeDocument, 'bytes'>> {
    const { template, root, place } = await this.#templates.load(named);
    const html = await template.render(data, { most: mostHtml, signal });
    const made = await this.#maker.make({ html, root, template: place }, signal, timeout);
    for (const character of made.lacking ?? [])
      this.#reportOnce(
        `${place} ${character}`,
        `no font of the template "${place}" has the character ${codeOf(character)}: it is printed as ?`,
        'Declare a font that has it with @font-face.',
      );
    for (const element of made.silent ?? [])
      this.#reportOnce(`${place} <${element}>`, `the template "${place}" has <${element}>, which is not printed`);
    return made;
  }

  #reportOnce(key: string, message: string, help?: string): void {
    if (this.#reported.has(key) || this.#reported.size >= mostReported) return;
    this.#reported.add(key);
    this.#services.log.warn(message, help === undefined ? undefined : { help });
  }

  #failure(problem: string): Failure {
    return new Failure('connector_refused', `connector "${this.name}": ${problem}`, { at: { connector: this.name } });
  }
}

function codeOf(character: string): string {
  return `U+${(character.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, '0')}`;
}
