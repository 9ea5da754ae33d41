/** A stream that flows take: the method, and the message that it is asked with. */
export interface WantedStream {
  readonly operation: string;
  readonly message: unknown;
}
