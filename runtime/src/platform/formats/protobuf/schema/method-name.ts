/** What a flow names of a schema. */
export interface MethodName {
  /** With or without its package; undefined: the method is found by its name alone. */
  readonly service: string | undefined;
  readonly method: string;
}

const written = /^\/?(?:([A-Za-z_][\w.]*)\/)?([A-Za-z_]\w*)$/;

/** Reads `package.Service/Method`, `Service/Method` or `Method`; undefined when it is malformed. */
export function parseMethodName(operation: string): MethodName | undefined {
  const [, service, method] = written.exec(operation.trim()) ?? [];
  return method === undefined ? undefined : { service, method };
}
