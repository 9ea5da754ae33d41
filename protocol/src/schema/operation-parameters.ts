/** Parameters of an operation by name: those that must be given, and those that may be. */
export interface OperationParameters {
  readonly needs: readonly string[];
  readonly takes: readonly string[];
  /** The one that `target` gives as well. */
  readonly byTarget?: string | undefined;
  /** Other names of parameters, by the name that is needed. */
  readonly synonyms?: Readonly<Record<string, string>> | undefined;
  /** What a parameter is, for those who write it. */
  readonly docs?: Readonly<Partial<Record<string, string>>> | undefined;
  /**
   * Names, of parameters and of what the answer has, whose values are credentials although they do not sound like it: flows
   * that name them show them nowhere.
   */
  readonly secrets?: readonly string[] | undefined;
  /** Why a constant value of one is refused. */
  readonly check?: ((name: string, value: unknown) => string | undefined) | undefined;
}
