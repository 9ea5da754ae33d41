import { resolve } from 'node:path';
import type { Values } from '@svc/protocol/schema';
import type { Connector, ConnectorServices, Factory } from '../../contracts/connector.ts';
import type { CallDescription, CallResult, Execute, Target } from '../../contracts/target.ts';
import { Failure } from '../../errors/failure.ts';
import { Exchanges } from '../files/exchanges.ts';
import { nameOf, placeOf } from '../files/path.ts';
import { pdfOperation } from './operations.ts';
import { OutputFolder } from './output-folder.ts';
import { pageSizes } from './page-sizes.ts';
import type { DocumentJob, MadeDocument } from './paint/document.ts';
import { type Asked, askedIn } from './payload.ts';
import type { pdf } from './spec.ts';
import { TemplateFiles } from './template-files.ts';
import { documentThreads } from './threads/threads.ts';

type PdfConfig = Values<(typeof pdf)['config']>;

export const create: Factory<typeof pdf> = (name, config, services) => new PdfConnector(name, config, services);

const millimetre = 72 / 25.4;
/** Characters of the HTML of a document. */
const mostHtml = 64 * 1024 * 1024;
/** What the log reports once. */
const mostReported = 1000;

type PageSetting = Omit<DocumentJob, 'html' | 'root' | 'template'>;

/** Documents of templates and payloads, made by threads beside the event loop. */
class PdfConnector implements Connector {
  readonly name: string;
  readonly target: Target;
  readonly #config: PdfConfig;
  readonly #services: ConnectorServices;
  readonly #templates: TemplateFiles;
  readonly #output: OutputFolder;
  readonly #exchanges: Exchanges;
  readonly #page: PageSetting;
  readonly #reported = new Set<string>();
  #saves = false;
  #isOpen = false;

  constructor(name: string, config: PdfConfig, services: ConnectorServices) {
    this.name = name;
    this.#config = config;
    this.#services = services;
    const { directory } = services;
    this.#templates = new TemplateFiles(resolve(directory, config.template), config.escape);
    this.#output = new OutputFolder(resolve(directory, config.output_dir), name);
    this.#exchanges = new Exchanges(name);
    this.#page = pageOf(config);
    this.target = { prepare: (call) => this.#prepare(call) };
  }

  /** Opens without its template: that is reported, and each call fails until it is there. */
  async open(): Promise<void> {
    if (this.#isOpen) return;
    if (this.#saves && this.#services.isDryRun !== true) await this.#output.open();
    const problem = await this.#problem();
    if (problem !== undefined) this.#services.log.warn(problem);
    this.#isOpen = true;
  }

  async close(cut?: AbortSignal): Promise<void> {
    this.#isOpen = false;
    await this.#exchanges.drain(cut);
  }

  /** Degraded while its template cannot be used: a message may name another one. */
  async check(): Promise<string | undefined> {
    if (!this.#isOpen) throw this.#failure('is not open');
    return this.#problem();
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
        const { bytes } = await this.#make(asked, exchange.signal);
        const size = whole(bytes.length);
        if (does === 'save')
          return answered({ file_path: await this.#output.save(filename, bytes, exchange), filename, size });
        const content = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
        return answered({ _binary: content, _content_type: 'application/pdf', _filename: nameOf(filename), size });
      });
    };
  }

  async #make({ template: named, data }: Asked, signal: AbortSignal): Promise<MadeDocument> {
    const { template, root, place } = await this.#templates.load(named);
    const html = await template.render(data, { most: mostHtml, signal });
    const made = await documentThreads.make({ ...this.#page, html, root, template: place }, signal);
    for (const character of made.lacking)
      this.#reportOnce(
        `${place} ${character}`,
        `no font of the template "${place}" has the character ${codeOf(character)}: it is printed as ?`,
        'Declare a font that has it with @font-face.',
      );
    for (const element of made.silent)
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

function pageOf(config: PdfConfig): PageSetting {
  const [short, long] = pageSizes[config.page_size];
  const [width, height] = config.orientation === 'portrait' ? [short, long] : [long, short];
  const points = (margin: number) => (margin === 0 ? 15 : margin) * millimetre;
  return {
    width,
    height,
    left: points(config.margin_left),
    top: points(config.margin_top),
    right: points(config.margin_right),
    font: config.font,
    mostPages: config.max_pages,
  };
}

function codeOf(character: string): string {
  return `U+${(character.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, '0')}`;
}
