import type { Bridge, LogLine, ServiceState } from '../../shared/services.ts';
import type { DebugSession } from '../debug/session/session.ts';
import { debugOf } from '../debug/session/session.ts';
import type { Project } from '../project/project.ts';
import type { Notices } from '../shell/notices.ts';
import { partOfStudio } from '../shell/studio.ts';
import { Store } from '../state/store.ts';

const keptLines = 5_000;

/** What a start may say beside the folder. */
interface Start {
  /** Keeps notifications instead of sending them, with later starts too. */
  readonly capture?: boolean;
}

/**
 * The service of the open project, run by the host: its state, its log, and the debugger attached as soon as it runs.
 */
export class ServiceRun {
  readonly state = new Store<ServiceState>({ kind: 'stopped' });
  readonly log = new Store<readonly LogLine[]>([]);
  /** Whether a start keeps notifications, where it does not say otherwise. */
  readonly isCapturing = new Store(false);
  readonly #bridge: Bridge;
  readonly #project: Project;
  readonly #notices: Notices;
  readonly #debug: DebugSession;

  constructor(bridge: Bridge, project: Project, notices: Notices, debug: DebugSession) {
    this.#bridge = bridge;
    this.#project = project;
    this.#notices = notices;
    this.#debug = debug;
    bridge.on('service.state', ({ state }) => this.#changed(state));
    bridge.on('service.log', ({ lines }) => this.log.update((log) => [...log, ...lines].slice(-keptLines)));
    project.onFolder(() => {
      debug.forget();
      notices.clear();
      void this.refresh().catch(() => undefined);
    });
  }

  /** Asks the host what runs already, such as after the window was loaded again. */
  async refresh(): Promise<void> {
    const { state, log } = await this.#bridge.call('service.state', {});
    this.log.set(log);
    this.#changed(state);
  }

  /**
   * Saves everything, starts the service and attaches to it; its event sources wait until breakpoints and gate are set.
   * Nothing of a folder runs before the person trusts it.
   */
  async start(how: Start = {}): Promise<void> {
    if (!(await this.#isTrusted())) return;
    await this.#project.saveAll();
    await this.#called('service.start', how);
  }

  /**
   * Starts the service where it does not run, and resolves when it is attached with its breakpoints set. False: it was
   * not to be started, or ended again; its state says why.
   */
  async startAttached(): Promise<boolean> {
    const { state } = this;
    const model = this.#debug.model.state;
    if (state.value.kind === 'stopped') await this.start();
    if (state.value.kind === 'running' && !this.#debug.isAttached) await this.attach();
    return new Promise((resolve) => {
      const look = () => {
        const isReady = state.value.kind === 'running' && this.#debug.isAttached;
        if (!isReady && state.value.kind !== 'stopped' && state.value.kind !== 'stopping') return;
        for (const stop of stops) stop();
        resolve(isReady);
      };
      const stops = [state.subscribe(look), model.subscribe(look)];
      look();
    });
  }

  /** Attaches to the service that runs. */
  async attach(): Promise<void> {
    const { value: state } = this.state;
    if (state.kind === 'running') await this.#debug.attach(state.debugAddress);
  }

  /** Declares the queues that its brokers do not have, then starts it. */
  async createQueues(): Promise<void> {
    if (!(await this.#isTrusted())) return;
    await this.#project.saveAll();
    const { created } = await this.#bridge.call('service.createQueues', {});
    if (created.length > 0) this.#notices.show('info', `Created ${created.map((name) => `"${name}"`).join(', ')}.`);
    await this.start();
  }

  /**
   * The debugger stays attached: the service takes no more messages before it releases what the debugger holds. A
   * debugger that left first would open its gates.
   */
  async stop(): Promise<void> {
    await this.#bridge.call('service.stop', {});
  }

  async restart(how: Start = {}): Promise<void> {
    await this.#project.saveAll();
    await this.#called('service.restart', how);
  }

  /** A start that fails is reported by the state that follows, not a second time as a failure of the call. */
  async #called(name: 'service.start' | 'service.restart', how: Start): Promise<void> {
    if (how.capture !== undefined) this.isCapturing.set(how.capture);
    try {
      await this.#bridge.call(name, { ...how, ...(this.isCapturing.value ? { capture: true } : {}) });
    } catch (error) {
      const { value: state } = this.state;
      if (state.kind !== 'stopped' || !(error instanceof Error) || state.reason !== error.message) throw error;
    }
  }

  async #isTrusted(): Promise<boolean> {
    const info = this.#project.info.value;
    if (info === undefined) return false;
    if (info.trusted) return true;
    const trust = `Trust ${info.name} and start it`;
    const detail = `${info.directory} starts a program on this machine, with the connections that its files name.`;
    if ((await this.#notices.ask('Run what is in this folder?', [trust, 'Cancel'], detail)) !== trust) return false;
    this.#project.info.set((await this.#bridge.call('project.trust', {})).project);
    return true;
  }

  #changed(state: ServiceState): void {
    const before = this.state.value;
    this.state.set(state);
    if (state.kind === 'running' && !this.#debug.isAttached && before.kind !== 'running')
      this.attach().catch((error: unknown) => this.#notices.failed(error, 'service'));
    if (state.kind === 'stopped' && before.kind !== 'stopped')
      this.#debug.detach(state.reason === undefined ? 'left' : 'over');
  }
}

export const serviceOf = partOfStudio(
  (studio) => new ServiceRun(studio.bridge, studio.project, studio.notices, debugOf(studio)),
);
