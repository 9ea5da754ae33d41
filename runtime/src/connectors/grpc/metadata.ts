/** Whether metadata of this name is the protocol's own, or bytes, which no text is. */
export function isOfProtocol(name: string): boolean {
  return /^(?:grpc-.*|content-type|user-agent|.*-bin)$/i.test(name);
}
