import { toJson } from '@svc/protocol/cel';
import type { CallResult } from '../../foundation/contracts/call-result.ts';
import type { Connector, ConnectorServices } from '../../foundation/contracts/connector.ts';
import type { Message } from '../../foundation/contracts/message.ts';
import { answered } from '../../foundation/contracts/outcome.ts';
import type { Plan, PlannedConnector, RunFlow } from '../../foundation/contracts/plan.ts';
import { Failure } from '../../foundation/errors/failure.ts';
import type { Clock } from '../../foundation/observe/clock.ts';
import { withIntegers } from '../flow/compile/whole-numbers.ts';
import { answerOf, failureOf } from './answer.ts';
import type { AskedCall } from './call.ts';
import { type MockedConnector, type MockFlags, mockedConnectors, mocksFlows } from './mocking.ts';
import type { RecordedResponse, Recording, Recordings } from './recordings.ts';
import { standIn } from './stand-in.ts';

/** A plan whose mocked connectors answer from recordings, and those of its flows that have a recording themselves. */
export function mockedPlan(plan: Plan, recordings: Recordings, flags: MockFlags): Plan {
  const mocked = mockedConnectors(plan.project, recordings, flags);
  const connectors = plan.connectors.map((planned) => {
    const how = mocked.get(planned.name);
    return how === undefined ? planned : mockedConnector(planned, how, recordings);
  });
  const flows = mocksFlows(plan.project, flags) ? plan.flows.filter((name) => recordings.flows.has(name)) : [];
  if (flows.length === 0) return { ...plan, connectors };
  const bind: Plan['bind'] = (made, services, only) => {
    const standIn = (flow: string) => {
      const recording = recordings.flows.get(flow);
      return recording && recordedFlow(flow, recording, services.clock);
    };
    return plan.bind(made, { ...services, standIn }, only);
  };
  return { ...plan, connectors, bind };
}

function mockedConnector(planned: PlannedConnector, how: MockedConnector, recordings: Recordings): PlannedConnector {
  const { name, declaration, fingerprint } = planned;
  return {
    name,
    declaration,
    fingerprint: `${fingerprint} mocked ${JSON.stringify(how)} ${recordings.digest}`,
    make: async (services) => {
      services.log.info('answers from mocks and is not opened', { real: how.real });
      const recorded = recordings.connectors.get(name) ?? new Map<string, Recording>();
      return standIn(name, {
        clock: services.clock,
        declaration,
        answer: (call) => answer(call, recorded, how, services.clock),
        real: how.real ? () => opened(planned, services) : undefined,
      });
    },
  };
}

async function opened(planned: PlannedConnector, services: ConnectorServices): Promise<Connector> {
  const connector = await planned.make(services);
  await connector.open(AbortSignal.timeout(30_000));
  return connector;
}

function answer(
  call: AskedCall,
  recorded: ReadonlyMap<string, Recording>,
  { behaviour }: MockedConnector,
  clock: Clock,
): CallResult | Promise<CallResult | undefined> | undefined {
  const response = responseOf(recordingOf(call, recorded), call);
  const settle = () => {
    if (behaviour.failRate > 0 && Math.random() * 100 < behaviour.failRate)
      throw new Failure('connector_failed', `connector "${call.connector}" fails on purpose (fail_rate)`, {
        at: { connector: call.connector },
      });
    return response && resultOf(response, call);
  };
  const wait = behaviour.latency + (response?.delay ?? 0);
  return wait > 0 ? clock.sleep(wait).then(settle) : settle();
}

function recordingOf(call: AskedCall, recorded: ReadonlyMap<string, Recording>): Recording | undefined {
  const name = namesOf(call).find((each) => recorded.has(each));
  return name === undefined ? undefined : recorded.get(name);
}

/** The first whose condition holds, else the one that answers everything else. */
function responseOf(
  recording: Recording | undefined,
  { input, operation = '', target = '', query = '' }: Partial<AskedCall>,
): RecordedResponse | undefined {
  if (recording === undefined) return undefined;
  const scope = { input: withIntegers(toJson(input)), operation, target, query, auth: {}, constants: {}, ctx: {} };
  return (
    recording.find(({ when, isDefault }) => !isDefault && (when === undefined || holds(when, scope))) ??
    recording.find(({ isDefault }) => isDefault)
  );
}

function holds(when: NonNullable<RecordedResponse['when']>, scope: object): boolean {
  try {
    return when.evaluate(scope) === true;
  } catch {
    return false;
  }
}

function resultOf({ data, affected, error, status }: RecordedResponse, call: AskedCall): CallResult {
  if (error !== undefined || (status !== undefined && status >= 400))
    throw failureOf(error ?? `status ${status}`, call.connector, status);
  return answerOf(data, call, affected);
}

/** Names of the files that may answer a call, without their ending. */
export function namesOf({ verb, operation, target, query }: AskedCall): readonly string[] {
  const request = verb === 'call' ? /^\s*([A-Za-z]+)\s+(\S.*)$/.exec(operation) : null;
  return [
    ...(request === null ? [] : [`${request[1]?.toUpperCase()}_${fileName(request[2] ?? '')}`]),
    ...(target === '' ? [] : [fileName(target)]),
    ...(query === '' ? [] : ['query']),
    // An operation that is neither: a method of gRPC, an operation of SOAP, the type of a message of TCP.
    ...(request === null && target === '' && query === '' ? [fileName(operation)] : []),
  ];
}

function fileName(target: string): string {
  return target
    .trim()
    .replace(/:/g, '')
    .replace(/[^A-Za-z0-9_-]/g, '_')
    .replace(/^_/, '');
}

/** Answers in place of a whole flow. */
function recordedFlow(flow: string, recording: Recording, clock: Clock): RunFlow {
  const place = { flow };
  return (message: Message) => {
    const response = responseOf(recording, { input: message.input });
    if (response === undefined)
      throw new Failure('flow_failed', `no response of mocks/flows/${flow}.json is for this message`, { at: place });
    const { data = null, error, status, delay } = response;
    const settle = () => {
      if (error !== undefined && status === undefined) throw new Failure('flow_failed', error, { at: place });
      return answered({ value: error === undefined ? data : { error }, status });
    };
    return delay > 0 ? clock.sleep(delay).then(settle) : settle();
  };
}
