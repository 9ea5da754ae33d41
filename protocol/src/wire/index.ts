export type {
  CacheEntry,
  FlowCache,
  FlowCounts,
  KeptEntry,
  KeptKey,
  KeptKeys,
  MetricsEntry,
} from './cache-shapes.ts';
export { type Channel, joinedChannels, type SocketLike, socketChannel } from './channel.ts';
export { type ClientOptions, connectClient, WireClient } from './client.ts';
export { errorCodes, WireError, type WireErrorName, wireError } from './errors.ts';
export { type EventName, type EventParams, type Events, events } from './events.ts';
export { type FailureType, failureTypes } from './failure-types.ts';
export { encodeError, encodeNotification, encodeResult, type Incoming, readMessage } from './jsonrpc.ts';
export type { Method, ParamSpec } from './method.ts';
export { type Capability, capabilities, type Methods, methods, type Params, type Result } from './methods.ts';
export {
  type ScheduleEntry,
  type ScheduleOutcome,
  type SchedulesEntry,
  type WorkflowDetail,
  type WorkflowEntry,
  type WorkflowEvent,
  type WorkflowEventKind,
  type WorkflowFlow,
  type WorkflowStatus,
  type WorkflowStep,
  type WorkflowsEntry,
  workflowStatuses,
} from './operation-shapes.ts';
export { RpcClient } from './rpc-client.ts';
export { answer, type Handlers, respond } from './server.ts';
export type {
  Breakpoint,
  CheckedBreakpoint,
  ConnectorEntry,
  DroppedMessage,
  EventSourceEntry,
  FlowEntry,
  ForcedValue,
  Found,
  KnownTarget,
  ModuleEntry,
  ModulesEntry,
  OutboxEntry,
  OutboxMessage,
  PlaceFigures,
  PluginEntry,
  Reading,
  ReadPart,
  ReadValue,
  SourceEntry,
  StoppedRule,
  ThreadEntry,
  ThreadHolds,
  TypeEntry,
  Variables,
} from './shapes.ts';
export { writtenName } from './written-name.ts';
