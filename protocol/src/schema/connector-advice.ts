/** A warning about one attribute of a connector. */
export interface ConnectorAdvice {
  readonly attribute: string;
  readonly says: string;
  readonly help: string;
  /** It is an error. Absent: the service starts all the same. */
  readonly refuses?: true | undefined;
}
