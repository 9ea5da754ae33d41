import type { Diagnostic } from '../text/index.ts';
import type { ConfigurationHost } from './host.ts';

/** Texts of so many characters are found wherever they are written; shorter ones where a value is quoted. */
const shortest = 6;

/**
 * What the host answered, which no problem may repeat: variables of the environment and texts of files hold secrets.
 */
export class HostSecrets {
  /** How each is written, by its text. */
  readonly #origins = new Map<string, string>();

  /** The same host; what it answers is remembered. */
  watch(host: ConfigurationHost): ConfigurationHost {
    return {
      ...host,
      env: (name) => {
        const value = host.env(name);
        if (value !== undefined) this.#add(value, `env(${JSON.stringify(name)})`);
        return value;
      },
      readFile: (path) => {
        const text = host.readFile(path);
        const origin = `file(${JSON.stringify(path)})`;
        this.#add(text, origin);
        for (const line of text.split('\n')) this.#add(line.trim(), origin);
        return text;
      },
    };
  }

  /** The texts that were answered. */
  get texts(): Iterable<string> {
    return this.#origins.keys();
  }

  /** The problem without what the host answered. */
  clean(diagnostic: Diagnostic): Diagnostic {
    if (this.#origins.size === 0) return diagnostic;
    const { message, help } = diagnostic;
    const shown = this.#clean(message);
    const shownHelp = help === undefined ? help : this.#clean(help);
    return shown === message && shownHelp === help ? diagnostic : { ...diagnostic, message: shown, help: shownHelp };
  }

  #add(text: string, origin: string): void {
    if (text !== '') this.#origins.set(text, origin);
  }

  #clean(text: string): string {
    let shown = text;
    for (const [value, origin] of this.#origins) {
      const quoted = JSON.stringify(value);
      for (const before of quotes) shown = shown.replaceAll(`${before}${quoted}`, `${before}the value of ${origin}`);
      if (value.length < shortest) continue;
      shown = shown.replaceAll(value, '***').replaceAll(quoted.slice(1, -1), '***');
    }
    return shown;
  }
}

/** The words before a value that a problem quotes. */
const quotes = ['not ', 'cannot be '];
