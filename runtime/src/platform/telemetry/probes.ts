import type { FlowProbe } from '../../foundation/contracts/probe.ts';
import type { Log } from '../../foundation/observe/log.ts';
import { printable } from '../../foundation/observe/mask.ts';
import { maskedInput } from '../../foundation/observe/masked-input.ts';
import type { FlowOrigin } from './flow-observer.ts';

/** The payload of a flow, as far as it is shown. */
interface ShownFrame {
  readonly input?: unknown;
  readonly message?: object;
  readonly output?: unknown;
  readonly answer?: unknown;
}

/** Logs the input of every flow, cut to a number of bytes; credentials are masked. */
export function payloadLog(log: Log, size: number, origins: () => ReadonlyMap<string, FlowOrigin>): FlowProbe {
  return {
    attached: true,
    begin: (flow, frame) => {
      const { input, message } = frame as ShownFrame;
      const payload = cutBytes(printableText(isFields(input) ? maskedInput(input, message) : input), size);
      log.debug('incoming payload', { flow, source: origins().get(flow)?.source, payload });
    },
    enter: () => undefined,
    leave: () => undefined,
    end: () => undefined,
  };
}

/** Several probes as one; undefined when there are no probes, so that they cost nothing. */
export function combineProbes(probes: readonly FlowProbe[]): FlowProbe | undefined {
  const [only] = probes;
  if (probes.length < 2) return only;
  return {
    get attached() {
      return probes.some(({ attached }) => attached);
    },
    begin: (flow, frame) => probes.map((probe) => probe.begin(flow, frame)),
    enter: (threads, place, rule, frame) =>
      together(probes, (probe, at) => probe.enter((threads as unknown[])[at], place, rule, frame)),
    leave: (threads, place, rule, frame, error, result) =>
      together(probes, (probe, at) => probe.leave((threads as unknown[])[at], place, rule, frame, error, result)),
    end: (threads, error, output, drop) =>
      probes.forEach((probe, at) => void probe.end((threads as unknown[])[at], error, output, drop)),
  };
}

/** Notifies every probe; returns a promise only when one of them must be awaited. */
function together(
  probes: readonly FlowProbe[],
  tell: (probe: FlowProbe, at: number) => void | Promise<void>,
): void | Promise<void> {
  let waits: Promise<void>[] | undefined;
  probes.forEach((probe, at) => {
    const wait = tell(probe, at);
    if (wait !== undefined) (waits ??= []).push(wait);
  });
  return waits && Promise.all(waits).then(() => undefined);
}

function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function printableText(value: unknown): string {
  return JSON.stringify(printable(value)) ?? '';
}

function cutBytes(text: string, most: number): string {
  const bytes = Buffer.byteLength(text);
  if (bytes <= most) return text;
  const kept = Buffer.from(text)
    .subarray(0, most)
    .toString('utf8')
    .replace(/\uFFFD+$/, '');
  return `${kept}… (${bytes} bytes)`;
}
