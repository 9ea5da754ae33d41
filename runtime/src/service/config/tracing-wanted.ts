import type { Variables } from './dotenv.ts';
import { OptionProblem } from './option-problem.ts';

const words: Readonly<Record<string, boolean>> = { true: true, '1': true, false: false, '0': false };

/**
 * Whether spans are wanted: `SVC_TRACING` says so, or an endpoint is named. Throws an OptionProblem where they would go
 * another way than over OTLP with HTTP and Protobuf.
 */
export function tracingWanted(variables: Variables): boolean {
  const given = (name: string) => variables[name]?.trim() || undefined;
  const word = given('SVC_TRACING')?.toLowerCase();
  const said = word === undefined ? undefined : words[word];
  if (word !== undefined && said === undefined) throw new OptionProblem(`SVC_TRACING is true or false, not "${word}"`);
  const isNamed = ['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'].some(given);
  if (!(said ?? isNamed)) return false;
  if (given('OTEL_SDK_DISABLED')?.toLowerCase() === 'true' || given('OTEL_TRACES_EXPORTER') === 'none') return false;
  only(given, 'OTEL_TRACES_EXPORTER', 'otlp', 'unset it');
  const remedy = 'unset it, and send traces to the port of the collector for HTTP, usually 4318';
  const own = 'OTEL_EXPORTER_OTLP_TRACES_PROTOCOL';
  only(given, given(own) === undefined ? 'OTEL_EXPORTER_OTLP_PROTOCOL' : own, 'http/protobuf', remedy);
  return true;
}

function only(given: (name: string) => string | undefined, name: string, built: string, remedy: string): void {
  const value = given(name);
  if (value !== undefined && value !== built)
    throw new OptionProblem(`${name} is "${built}", not "${value}": ${remedy}`);
}
