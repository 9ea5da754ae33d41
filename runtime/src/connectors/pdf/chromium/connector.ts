import type { Values } from '@svc/protocol/schema';
import type { ConnectorServices, Factory } from '../../../foundation/contracts/connector.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import { environmentOf } from '../../../platform/processes/environment.ts';
import { programPath } from '../../../platform/processes/lookup.ts';
import { Runner } from '../../../platform/processes/runner.ts';
import { nameOf } from '../../files/path.ts';
import { DocumentConnector, type DocumentMaker, type Page } from '../documents.ts';
import { pageSizes } from '../page-sizes.ts';
import { type BrowserSettings, print } from './browser.ts';
import { removeLeftFolders } from './folders.ts';
import type { pdfChromium } from './spec.ts';

type Config = Values<(typeof pdfChromium)['config']>;

export const create: Factory<typeof pdfChromium> = (name, config, services) =>
  new DocumentConnector(name, config, services, new ChromiumMaker(name, config, services));

/** Names of the browser. */
const usual = ['chromium', 'chromium-browser', 'google-chrome'];
/** Documents that wait for a browser. */
const mostWaiting = 1000;

/** Has each document printed by a browser of its own. */
class ChromiumMaker implements DocumentMaker {
  readonly #config: Config;
  readonly #services: ConnectorServices;
  readonly #runner: Runner;
  readonly #style: string;
  #settings: BrowserSettings | undefined;

  constructor(name: string, config: Config, services: ConnectorServices) {
    this.#config = config;
    this.#services = services;
    this.#runner = new Runner({ connector: name, mostProcesses: config.max_processes, mostWaiting });
    this.#style = styleOf(config);
  }

  async open(): Promise<void> {
    const { executable, sandbox } = this.#config;
    if (sandbox && process.getuid?.() === 0)
      throw new Failure(
        'connector_refused',
        'a browser refuses to be run by the superuser with its sandbox: run the service as another user, or write sandbox = false',
        { retriable: false },
      );
    await removeLeftFolders();
    const env = environmentOf({});
    this.#settings = { executable: await this.#find(executable, env), env, sandbox };
  }

  async close(): Promise<void> {
    await this.#runner.drain(AbortSignal.abort());
  }

  async make(page: Page, signal: AbortSignal, timeout: number): Promise<{ readonly bytes: Uint8Array<ArrayBuffer> }> {
    const settings = this.#settings;
    if (settings === undefined) throw new Failure('connector_refused', 'the browser was not looked for');
    const styled = { ...page, html: prepared(page, this.#style) };
    const bytes = await this.#runner.run(signal, timeout, (stop) => print(styled, settings, stop));
    return { bytes };
  }

  async #find(executable: string | undefined, env: Readonly<Record<string, string>>): Promise<string> {
    const lookup = {
      env,
      directory: this.#services.directory,
      warn: (message: string) => this.#services.log.warn(message),
    };
    if (executable !== undefined) return programPath(executable, lookup);
    for (const name of usual) {
      const found = await programPath(name, lookup).catch(() => undefined);
      if (found !== undefined) return found;
    }
    const message = `there is no browser in PATH (${usual.join(', ')}): install chromium, write executable, or leave out driver`;
    throw new Failure('connector_refused', message, { retriable: false });
  }
}

/** Size and margins of pages, which the styles of the template win over. */
function styleOf({ page_size, orientation, margin_left, margin_top, margin_right }: Config): string {
  const [short, long] = pageSizes[page_size];
  const [width, height] = orientation === 'portrait' ? [short, long] : [long, short];
  const millimetres = (margin: number) => (margin === 0 ? 15 : margin);
  return `<style>@page { size: ${width}pt ${height}pt; margin: ${millimetres(margin_top)}mm ${millimetres(margin_right)}mm 15mm ${millimetres(margin_left)}mm }</style>`;
}

/**
 * The page with the style of the connector, behind the document type, where it is the first one and leaves the page in the mode
 * of standards; and with a title, which would be the address otherwise.
 */
function prepared({ html, template }: Page, style: string): string {
  const [type = ''] = /^\s*<!doctype[^>]*>/i.exec(html) ?? [];
  const title = /<title[\s>]/i.test(html) ? '' : `<title>${escapedText(nameOf(template))}</title>`;
  return type + title + style + html.slice(type.length);
}

function escapedText(text: string): string {
  return text.replace(/[&<]/g, (each) => (each === '&' ? '&amp;' : '&lt;'));
}
