/** Why a plugin cannot be installed, or used as it is installed, in a sentence that ends with what to do. */
export class PluginProblem extends Error {
  override readonly name = 'PluginProblem';
}
