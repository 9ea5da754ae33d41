import type { Attributes, Context, Span } from '@opentelemetry/api';
import type { SpanExporter } from '@opentelemetry/sdk-trace-base';
import type { Drop } from '../../foundation/contracts/outcome.ts';
import type { FlowProbe } from '../../foundation/contracts/probe.ts';
import type { Log } from '../../foundation/observe/log.ts';
import { errorText } from '../../foundation/observe/mask.ts';
import { dropFields } from './drop-fields.ts';
import type { FlowOrigin } from './flow-observer.ts';

type Variables = Readonly<Record<string, string | undefined>>;

/** What a stage that asks a connector asks. */
export interface CallPlace {
  readonly connector: string;
  readonly type: string;
  readonly verb: 'read' | 'write' | 'call';
  readonly target: string | undefined;
}

export interface TracingOptions {
  readonly service: string;
  readonly version: string;
  readonly log: Log;
  /** The environment with `.env`; OTEL_* names are followed. */
  readonly variables: Variables;
  readonly origins: () => ReadonlyMap<string, FlowOrigin>;
  /** The connector that a stage of a flow asks; undefined for stages that ask none. */
  readonly place: (flow: string, stage: string, name: string) => CallPlace | undefined;
  /** Whether a stage fetches or builds what later ones read: such stages are one span together. */
  readonly isShaping: (stage: string) => boolean;
  /** Where spans go. Default: OTLP over HTTP, as the OTEL_* variables say. */
  readonly exporter?: SpanExporter;
}

/** Spans that have not ended. */
export interface Tracing {
  readonly probe: FlowProbe;
  /** Sends buffered spans, within a few seconds; an unavailable collector is not a failure. */
  stop(): Promise<void>;
}

/** Loads OpenTelemetry and makes a span of every flow, of its shaping and of each connector that it asks. */
export async function startTracing(options: TracingOptions): Promise<Tracing> {
  for (const [name, value] of Object.entries(options.variables))
    if (name.startsWith('OTEL_') && value !== undefined) process.env[name] ??= value;
  const { api, resources, sdk, OTLPTraceExporter } = await import('./opentelemetry.ts');
  const exporter = options.exporter ?? new OTLPTraceExporter();
  const { service, version, log } = options;
  api.diag.setLogger(
    {
      error: (message) => log.warn('traces could not be sent', { error: message }),
      warn: (message) => log.debug('tracing', { message }),
      info: () => undefined,
      debug: () => undefined,
      verbose: () => undefined,
    },
    { logLevel: api.DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
  const own = resources.resourceFromAttributes({ 'service.name': service, 'service.version': version });
  const provider = new sdk.BasicTracerProvider({
    // What OTEL_RESOURCE_ATTRIBUTES and OTEL_SERVICE_NAME say wins.
    resource: own.merge(resources.detectResources({ detectors: [resources.envDetector] })),
    spanProcessors: [new sdk.BatchSpanProcessor(exporter)],
  });
  const tracer = provider.getTracer('svc', version);
  const { SpanKind, SpanStatusCode, ROOT_CONTEXT, trace } = api;

  const finish = (span: Span, error: unknown) => {
    if (error !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: errorText(error) });
    span.end();
  };
  const begin = (flow: string, frame: object): Thread => {
    const { message } = frame as TracedFrame;
    const origin = options.origins().get(flow);
    const attributes: Attributes = { 'svc.flow': flow };
    if (origin !== undefined) attributes['svc.source'] = origin.source;
    if (origin?.operation !== undefined) attributes['svc.operation'] = origin.operation;
    const remote = message && remoteContext(message);
    const parent = remote === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, remote);
    const span = tracer.startSpan(`flow ${flow}`, { kind: SpanKind.SERVER, attributes }, parent);
    const { traceId, spanId, traceFlags } = span.spanContext();
    // The message belongs to this execution alone: the trace context in it is sent to every connector that is asked.
    if (message !== undefined) message.traceparent = `00-${traceId}-${spanId}-0${traceFlags & 1}`;
    return { flow, span, context: trace.setSpan(parent, span), shaping: undefined, calls: [] };
  };
  const endShaping = (thread: Thread) => {
    thread.shaping?.span.end();
    thread.shaping = undefined;
  };
  const remoteContext = ({ traceparent, tracestate }: TracedMessage) => {
    const found = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/.exec(traceparent ?? '');
    if (found === null) return undefined;
    const [, traceId = '', spanId = '', flags = '00'] = found;
    const context = { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true };
    if (!api.isSpanContextValid(context)) return undefined;
    return tracestate === undefined ? context : { ...context, traceState: api.createTraceState(tracestate) };
  };

  const probe: FlowProbe = {
    attached: true,
    begin,
    enter: (given, { stage, name }, rule) => {
      if (rule !== undefined) return;
      const thread = given as Thread;
      if (options.isShaping(stage)) {
        if (thread.shaping === undefined) {
          const span = tracer.startSpan('transform', { kind: SpanKind.INTERNAL }, thread.context);
          thread.shaping = { span, context: trace.setSpan(thread.context, span) };
        }
      } else endShaping(thread);
      const place = options.place(thread.flow, stage, name);
      if (place === undefined) return;
      const attributes: Attributes = { 'svc.connector': place.connector, 'svc.connector.type': place.type };
      if (place.target !== undefined) attributes['svc.target'] = place.target;
      const title = `${place.verb} ${place.connector}`;
      const parent = thread.shaping?.context ?? thread.context;
      thread.calls.push({ stage, name, span: tracer.startSpan(title, { kind: SpanKind.CLIENT, attributes }, parent) });
    },
    leave: (given, { stage, name }, rule, _frame, error) => {
      if (rule !== undefined) return;
      const { calls } = given as Thread;
      const at = calls.findLastIndex((call) => call.stage === stage && call.name === name);
      if (at >= 0) for (const { span } of calls.splice(at, 1)) finish(span, error);
    },
    end: (given, error, _output, drop) => {
      const thread = given as Thread;
      if (drop !== undefined) thread.span.addEvent('dropped', eventAttributes(drop));
      endShaping(thread);
      for (const { span } of thread.calls) span.end();
      finish(thread.span, error);
    },
  };
  return {
    probe,
    stop: () => provider.shutdown().catch((error: unknown) => log.warn('traces could not be sent', { error })),
  };
}

function eventAttributes(drop: Drop): Attributes {
  const { reason, decided_by, detail, values, disposition } = dropFields(drop);
  return {
    'svc.drop.reason': reason,
    'svc.drop.decided_by': decided_by,
    'svc.drop.expression': detail,
    'svc.drop.disposition': disposition,
    ...(values === undefined ? {} : { 'svc.drop.values': JSON.stringify(values) }),
  };
}

interface TracedMessage {
  traceparent?: string | undefined;
  readonly tracestate?: string | undefined;
}

interface TracedFrame {
  readonly message?: TracedMessage;
}

interface Thread {
  readonly flow: string;
  readonly span: Span;
  readonly context: Context;
  shaping: { readonly span: Span; readonly context: Context } | undefined;
  /** Connectors being asked, several at once where destinations are parallel. */
  readonly calls: { readonly stage: string; readonly name: string; readonly span: Span }[];
}
