/** A line that the collector writes: OTLP as JSON. */
export interface Exported {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly Span[] }[];
  }[];
}

interface Attribute {
  readonly key: string;
  readonly value: { readonly stringValue?: string };
}

interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly name: string;
  readonly kind: number;
  readonly attributes?: readonly Attribute[];
  readonly status: { readonly code?: number };
}

const kinds = ['unspecified', 'internal', 'server', 'client'];
const statuses = ['unset', 'ok', 'error'];

/** The spans of one instance of a service, in the order of their names; a span of its own is named as a parent. */
export function spansOf(exported: readonly Exported[], instance: string): readonly object[] {
  const own = exported
    .flatMap(({ resourceSpans }) => resourceSpans)
    .map(({ resource, scopeSpans }) => ({ resource: values(resource.attributes), scopeSpans }))
    .filter(({ resource }) => resource['service.instance.id'] === instance)
    .flatMap(({ resource, scopeSpans }) =>
      scopeSpans.flatMap(({ spans }) => spans.map((span) => ({ ...span, resource }))),
    );
  const names = new Map(own.map(({ spanId, name }) => [spanId, name]));
  return own
    .map(({ traceId, name, kind, parentSpanId, attributes = [], status, resource }) => ({
      trace: traceId,
      resource,
      name,
      kind: kinds[kind],
      parent: names.get(parentSpanId) ?? parentSpanId,
      attributes: values(attributes),
      status: statuses[status.code ?? 0],
    }))
    .sort((one, other) => placeOf(one).localeCompare(placeOf(other), 'en'));
}

const placeOf = (span: { readonly name: string; readonly parent: string; readonly status: string | undefined }) =>
  `${span.name} ${span.parent} ${span.status}`;

function values(attributes: readonly Attribute[]): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue]));
}
