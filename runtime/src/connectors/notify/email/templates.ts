import { basename, dirname, relative, resolve, sep } from 'node:path';
import { TemplateFiles } from '../../files/template-files.ts';
import { largest } from '../message.ts';
import { mailDialect } from './dialect.ts';

/** Where templates are when the connector does not name one. */
export const usualFolder = 'templates';

/** What a connector says of its templates, relative to the configuration. */
export interface TemplateSettings {
  readonly template: string | undefined;
  readonly directory: string;
}

/** Prints the templates in one folder: that of the template which the connector names, else `templates`. */
export class LetterTemplates {
  readonly #files: TemplateFiles;
  readonly #hasUsual: boolean;
  readonly #prefix: string;

  constructor({ template, directory }: TemplateSettings) {
    this.#hasUsual = Boolean(template);
    const usual = template ? resolve(directory, template) : undefined;
    const folder = usual === undefined ? resolve(directory, usualFolder) : dirname(usual);
    this.#files = new TemplateFiles(folder, usual && basename(usual), mailDialect);
    this.#prefix = relative(directory, folder).split(sep).join('/');
  }

  /** Whether every letter has the HTML of a template. */
  get hasUsual(): boolean {
    return this.#hasUsual;
  }

  /** Reads the template of the connector. Rejects with a Failure that says what is wrong with it, and where. */
  async load(): Promise<void> {
    if (this.#hasUsual) await this.#files.load(undefined);
  }

  /**
   * The text of a template, that of the connector where no name is given. A name is a path in the folder, or relative to the
   * configuration as the connector's own is. Rejects as `TemplateFiles.load` and `Template.render` do.
   */
  async print(named: string | undefined, data: unknown, signal: AbortSignal): Promise<string> {
    const { template } = await this.#files.load(named === undefined ? undefined : this.#withoutFolder(named));
    return template.render(data, { most: largest, signal });
  }

  #withoutFolder(named: string): string {
    const plain = named.replace(/^(?:\.\/)+/, '');
    const inFolder = this.#prefix !== '' && !this.#prefix.startsWith('..') && plain.startsWith(`${this.#prefix}/`);
    return inFolder ? plain.slice(this.#prefix.length + 1) : plain;
  }
}
