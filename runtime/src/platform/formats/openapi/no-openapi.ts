/** Why a document is not read as a description of OpenAPI. */
export class NoOpenApi extends Error {
  override readonly name = 'NoOpenApi';
  /** Where its text is malformed; undefined for other reasons. */
  readonly line: number | undefined;
  /** The document that this is about, by its path; undefined for the one that was given. */
  readonly file: string | undefined;

  constructor(message: string, line?: number, file?: string) {
    super(message);
    this.line = line;
    this.file = file;
  }
}
