/** What the server says of a request, or of an item of a `bulk`, that it refuses. */
export interface ServerError {
  readonly type?: unknown;
  readonly reason?: unknown;
  readonly root_cause?: unknown;
  readonly caused_by?: unknown;
}
