/** Every error of the protocol by name. */
export const errorCodes = {
  parseError: { code: -32700, doc: 'The text is not JSON.' },
  invalidRequest: { code: -32600, doc: "Not a request of JSON-RPC: `jsonrpc: '2.0'` is missing, or it is a batch." },
  methodNotFound: { code: -32601, doc: 'There is no such method.' },
  invalidParams: {
    code: -32602,
    doc: 'Parameters are missing or wrong, the thread is not paused, or a limit is reached.',
  },
  internalError: {
    code: -32603,
    doc: 'The service failed; also: `debug.consume` of an unknown connector or of one that cannot be pulled.',
  },
  sessionNotFound: { code: -32000, doc: 'A method was called before `debug.attach`.' },
  threadNotFound: { code: -32001, doc: 'There is no thread with this id.' },
  flowNotFound: { code: -32002, doc: 'There is no flow with this name.' },
  evalError: { code: -32003, doc: 'The expression does not compile, or its evaluation failed.' },
  locked: {
    code: -32004,
    doc: 'The method changes the state of the service, and this session did not call `debug.unlock`.',
  },
} as const;

export type WireErrorName = keyof typeof errorCodes;

/** An answer that is an error, on both ends. */
export class WireError extends Error {
  override readonly name = 'WireError';
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

export function wireError(name: WireErrorName, message: string): WireError {
  return new WireError(errorCodes[name].code, message);
}
