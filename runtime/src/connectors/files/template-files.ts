import { realpath, stat } from 'node:fs/promises';
import { regularFile } from '../../foundation/disk/regular-file.ts';
import { Failure } from '../../foundation/errors/failure.ts';
import type { FailureCode } from '../../foundation/errors/failures.ts';
import type { Dialect } from '../../platform/templates/compile/compile.ts';
import { TemplateProblem } from '../../platform/templates/syntax/problem.ts';
import { type Template, templateOf } from '../../platform/templates/template.ts';
import { Places } from './local/places.ts';
import { placeOf } from './path.ts';

/** Bytes of a template, and templates that are kept compiled. */
const mostBytes = 4 * 1024 * 1024;
const mostKept = 100;

/** A template that can be used, and where it is. */
export interface LoadedTemplate {
  readonly template: Template;
  /** Real path of the folder that templates, pictures and fonts are in. */
  readonly root: string;
  /** The template in it. */
  readonly place: string;
}

interface Kept {
  readonly version: string;
  readonly template: Template;
}

/** The templates in a folder. Each is compiled once, and again when its file has changed. */
export class TemplateFiles {
  readonly #folder: string;
  readonly #usual: string | undefined;
  readonly #dialect: Dialect;
  readonly #kept = new Map<string, Kept>();

  /** `usual` is the name of the template that is used where nothing says another one. */
  constructor(folder: string, usual: string | undefined, dialect: Dialect) {
    this.#folder = folder;
    this.#usual = usual;
    this.#dialect = dialect;
  }

  /** Rejects with a Failure: there is no such template, or it is malformed. */
  async load(named: string | undefined): Promise<LoadedTemplate> {
    // A template that a message names is its sender's; the other one is that of the configuration.
    const code: FailureCode = named === undefined ? 'connector_failed' : 'value_refused';
    const shown = named ?? this.#usual ?? '';
    const fail = (problem: string, cause?: unknown) =>
      new Failure(code, `the template "${shown}" ${problem}`, { cause, retriable: false });
    const place = named === undefined ? shown : placeOf(named, 'template');
    try {
      const root = await realpath(this.#folder);
      const at = await new Places(root).file(place);
      const stats = await stat(at, { bigint: true });
      if (!stats.isFile()) throw fail('is not a regular file');
      if (stats.size > mostBytes) throw fail(`has more than ${mostBytes} bytes`);
      const version = `${at} ${stats.mtimeNs} ${stats.size} ${stats.ino}`;
      const kept = this.#kept.get(place);
      if (kept?.version === version) return { template: kept.template, root, place };
      const template = this.#compiled(shown, await regularFile(at, mostBytes), fail);
      this.#keep(place, { version, template });
      return { template, root, place };
    } catch (error) {
      if (error instanceof Failure) throw error;
      const missing = ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '');
      throw fail(missing ? 'does not exist' : `cannot be read: ${(error as NodeJS.ErrnoException).code}`, error);
    }
  }

  #compiled(name: string, bytes: Buffer, fail: (problem: string, cause: unknown) => Failure): Template {
    let text: string;
    try {
      text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    } catch (error) {
      throw fail('is not UTF-8', error);
    }
    try {
      return templateOf(name, text, this.#dialect);
    } catch (error) {
      if (!(error instanceof TemplateProblem)) throw error;
      throw fail(`is malformed, line ${error.line}: ${error.message}`, error);
    }
  }

  #keep(place: string, kept: Kept): void {
    this.#kept.delete(place);
    this.#kept.set(place, kept);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > mostKept && oldest !== undefined) this.#kept.delete(oldest);
  }
}
