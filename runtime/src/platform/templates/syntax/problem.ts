/** What is wrong with the text of a template, and where. */
export class TemplateProblem extends Error {
  override readonly name = 'TemplateProblem';
  /** From 1. */
  readonly line: number;

  constructor(message: string, line: number) {
    super(message);
    this.line = line;
  }
}
