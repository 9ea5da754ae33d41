/** An option has a value that is not valid. */
export class OptionProblem extends Error {
  override readonly name = 'OptionProblem';
}
