export { type Channel, joinedChannels, type SocketLike, socketChannel } from './channel.ts';
export { type ClientOptions, connectClient, WireClient } from './client.ts';
export { errorCodes, WireError, type WireErrorName, wireError } from './errors.ts';
export { type EventName, type EventParams, type Events, events } from './events.ts';
export { encodeNotification, type Incoming, readMessage } from './jsonrpc.ts';
export {
  type Breakpoint,
  type Capability,
  type CheckedBreakpoint,
  type ConnectorEntry,
  capabilities,
  type FlowEntry,
  type Method,
  type Methods,
  methods,
  type ParamSpec,
  type Params,
  type Result,
  type StoppedRule,
  type ThreadEntry,
  type TypeEntry,
  type Variables,
} from './methods.ts';
export { answer, type Handlers } from './server.ts';
