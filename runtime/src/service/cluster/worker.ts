import type { Log } from '../../foundation/observe/log.ts';
import type { ConfigurationSnapshot } from '../config/snapshot.ts';
import type { DebugEntryPoint } from '../debug/connection/entry-point.ts';
import { stopOnStrayErrors } from '../running/failures.ts';
import { Placement } from '../running/generation/placement.ts';
import { shownAddress } from '../running/http/listener.ts';
import { logProblem } from '../running/problems.ts';
import type { Service } from '../running/service.ts';
import type { ServiceSetup } from '../running/setup.ts';
import { DebugBranch } from './debug-branch.ts';
import { Conversation, type Envelope, type PrimaryQuestions, type WorkerQuestions } from './messages.ts';

export interface WorkerSurroundings {
  readonly log: Log;
  readonly options: { readonly workers: number };
  readonly flush: () => void;
  /** How this process is debugged; absent where debugging is off. */
  readonly entryPoint?: DebugEntryPoint | undefined;
}

interface WorkerParts {
  readonly service: Service;
  readonly stopTracing: () => Promise<void>;
}

/** Longest wait for the configuration, in milliseconds. */
const handLimit = 30_000;

/** Longest wait for the primary's merged view; then this process reports its own. */
const mergeLimit = 2_000;

/**
 * Serves as one of several processes until the primary stops it, or is gone. Signals of a terminal reach every process
 * of the group; only the primary handles them, so that each worker stops once.
 */
export async function runWorker(
  makeService: (own: Partial<ServiceSetup>, given: () => ConfigurationSnapshot | undefined) => Promise<WorkerParts>,
  { log, options, flush, entryPoint }: WorkerSurroundings,
): Promise<number> {
  let status = 0;
  let stopped: Promise<void> | undefined;
  const send = (message: Envelope) => {
    if (process.connected) process.send?.(message);
  };
  const parts: { service?: Service } = {};
  let given: ConfigurationSnapshot | undefined;
  const service = () => parts.service as Service;
  const stop = async (): Promise<void> => {
    const { clean } = await service().stop();
    await made.stopTracing();
    if (!clean) status = 1;
  };
  const stopOnce = () => (stopped ??= stop());
  const primary = new Conversation<PrimaryQuestions, WorkerQuestions>(
    { send },
    {
      stop: async () => {
        await stopOnce();
        return true;
      },
      reload: async (configuration) => {
        const before = given;
        given = configuration;
        const isLoaded = await service().reload();
        if (!isLoaded) given = before;
        return isLoaded;
      },
      place: (connectors) => service().place(connectors),
      report: () => ({
        health: service().report(),
        metrics: service().metrics.snapshot(),
        underWay: service().underWay,
      }),
    },
  );
  const made = await makeService(
    {
      admin: false,
      tellWarnings: false,
      ...(entryPoint === undefined ? {} : { debug: entryPoint }),
      share: 1 / options.workers,
      placement: new Placement(),
      builtins: {
        report: () => primary.ask('health', mergeLimit).catch(() => service().report()),
        metrics: () => primary.ask('metrics', mergeLimit).catch(() => service().metrics.text()),
      },
    },
    () => given,
  );
  parts.service = made.service;
  const branch = entryPoint && new DebugBranch(entryPoint, send);
  process.on('message', (message: Envelope) => {
    if ('debug' in message) branch?.take(message);
    else primary.take(message);
  });
  process.on('SIGINT', () => undefined);
  process.on('SIGHUP', () => undefined);
  process.on('SIGTERM', () => void stopOnce());
  process.once('disconnect', () => void stopOnce());
  stopOnStrayErrors(log, () => {
    status = 1;
    void stopOnce();
  });
  const ended = new Promise<undefined>((resolve) => {
    made.service.lifecycle.onChange((phase) => phase === 'stopped' && resolve(undefined));
  });
  try {
    given = await primary.ask('configuration', handLimit);
    const report = await Promise.race([made.service.start(), ended]);
    if (report !== undefined) {
      const addresses = [...report.addresses].map(([connector, address]) => [connector, shownAddress(address)]);
      send({ notice: 'ready', addresses: Object.fromEntries(addresses) as Record<string, string> });
    }
    await ended;
  } catch (error) {
    if (stopped === undefined) {
      logProblem(log, error);
      log.error('the worker cannot start', { error });
      send({ notice: 'failed' });
      status = 1;
    }
  }
  await stopped;
  flush();
  if (process.connected) process.disconnect();
  return status;
}
