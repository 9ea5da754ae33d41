/** Whether spans are wanted: `SVC_TRACING` says so, or an endpoint is named. */
export function tracingWanted(variables: Readonly<Record<string, string | undefined>>): boolean {
  const word = variables['SVC_TRACING']?.trim().toLowerCase();
  if (word === 'true' || word === '1') return true;
  if (word === 'false' || word === '0') return false;
  return Boolean(variables['OTEL_EXPORTER_OTLP_ENDPOINT'] || variables['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT']);
}
