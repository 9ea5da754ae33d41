/** A folder of the editor, by which its files are named. */
export class FolderUri {
  readonly #prefix: string;
  readonly #written: string;

  constructor(uri: string) {
    this.#written = uri.replace(/\/+$/, '');
    this.#prefix = `${normal(this.#written)}/`;
  }

  /** The path of a file relative to the folder, with `/`; undefined when it is somewhere else. */
  pathOf(uri: string): string | undefined {
    const whole = normal(uri);
    return whole.startsWith(this.#prefix) ? whole.slice(this.#prefix.length) : undefined;
  }

  uriOf(path: string): string {
    return `${this.#written}/${path.split('/').map(encodeURIComponent).join('/')}`;
  }
}

/** Editors differ in what they escape, and in the case of the letter of a drive. */
function normal(uri: string): string {
  return decoded(uri).replace(/^file:\/\/\/([A-Za-z]):/, (_match, drive: string) => `file:///${drive.toLowerCase()}:`);
}

function decoded(uri: string): string {
  try {
    return decodeURIComponent(uri);
  } catch {
    return uri;
  }
}
