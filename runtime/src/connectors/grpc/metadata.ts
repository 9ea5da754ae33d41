/**
 * Whether metadata of this name is the protocol's own, or bytes, which no text is. The library sends on what a connection of
 * HTTP/2 may not have: the call is never answered, or the connection is lost with all that it carries.
 */
export function isOfProtocol(name: string): boolean {
  return /^(?:grpc-.*|content-type|user-agent|.*-bin)$/i.test(name);
}
