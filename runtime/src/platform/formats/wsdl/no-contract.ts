/** Why a document, or one that it imports, describes no service of SOAP. */
export class NoContract extends Error {
  override readonly name = 'NoContract';
  /** Where it is not XML; undefined for other reasons. */
  readonly line: number | undefined;
  /** The document that this is about, by its path; undefined for the one that was given. */
  readonly file: string | undefined;

  constructor(message: string, line?: number, file?: string) {
    super(message);
    this.line = line;
    this.file = file;
  }
}
