import { wholeness } from '../debug/runs/kept-whole.ts';
import { flowsOf, type OutlineFlow } from '../debug/session/flow-map.ts';
import { debugOf } from '../debug/session/session.ts';
import type { Thread } from '../debug/session/thread.ts';
import type { FoundSample } from '../debug/text/sample-source.ts';
import type { Document } from '../project/document.ts';
import { serviceOf } from '../run/service.ts';
import { partsOf, tabOf } from '../shell/layout.ts';
import type { Studio } from '../shell/studio.ts';
import { Store } from '../state/store.ts';
import { curlOf } from './curl.ts';
import { bodyOfMembers, type Endpoint, endpointsOf, pathFor, requestFor, skeletonOf } from './endpoints.ts';
import { type FilledRequest, fillRequest, isForOwnService } from './fill.ts';
import { Identities } from './identities/identities.ts';
import { type Request, readRequest, writeRequest } from './request.ts';
import { endpointOf, refusedAsRequest, requestOf } from './run-request.ts';
import { Sender } from './sender.ts';

/** Why a text was not sent. */
interface Refusal {
  readonly text: string;
  readonly message: string;
}

/** The requests of the project: files that are written, sent and answered. */
export class Requests {
  readonly sender: Sender;
  readonly identities: Identities;
  /** By path; it counts while the text is still the same. */
  readonly refusals = new Store<ReadonlyMap<string, Refusal>>(new Map());
  readonly #studio: Studio;

  constructor(studio: Studio) {
    this.#studio = studio;
    this.sender = new Sender(studio.bridge);
    this.identities = new Identities(studio.bridge);
  }

  /** The file of the request tab that has the focus. */
  get active(): string | undefined {
    const { kind, path } = partsOf(this.#studio.layout.active ?? ':');
    return kind === 'request' ? path : undefined;
  }

  /** Sends what a file holds now, saved or not. What cannot be sent is refused under its form, not as a notice. */
  async send(path: string): Promise<void> {
    const { project, announce } = this.#studio;
    const { text } = await project.open(path);
    try {
      if (this.#needsStart(text) && !(await serviceOf(this.#studio).startAttached())) return;
      const filled = this.#filled(text);
      this.refusals.update((all) => new Map([...all].filter(([each]) => each !== path)));
      const as = this.identities.sentAs(path, flowsOf(this.#studio).outline.value);
      await this.sender.send(path, filled, as);
      if (as !== undefined) await this.identities.refresh();
      const [last] = this.sender.history.value;
      announce(last?.answer ? `Answered with ${last.answer.status}.` : `Failed: ${last?.problem}.`);
    } catch (error) {
      this.#refuse(path, text, error);
    }
  }

  /** Copies the request as a command line without its credentials. What cannot be sent is refused under its form. */
  async copyAsCurl(path: string): Promise<void> {
    const { project, announce } = this.#studio;
    const { text } = await project.open(path);
    try {
      const line = curlOf(this.#filled(text), this.identities.of(path) !== undefined);
      await navigator.clipboard.writeText(line);
      announce('Copied as curl, without credentials.');
    } catch (error) {
      this.#refuse(path, text, error);
    }
  }

  /** Replaces the text of a file, as one step of undo. */
  change(document: Document, request: Request): void {
    document.apply([{ range: { start: 0, end: document.text.length }, text: writeRequest(request) }]);
  }

  /** Opens the request of an endpoint, made when it is absent; without an endpoint a new one. */
  async open(endpoint: Endpoint | undefined): Promise<void> {
    const { project, layout } = this.#studio;
    const files = new Set(project.entries.value.map(({ path }) => path));
    const known = endpoint && pathFor(endpoint, new Set());
    if (known !== undefined && files.has(known)) return layout.open(tabOf('request', known));
    const path = known ?? pathFor({ method: 'new', path: 'request' }, files);
    const request = endpoint
      ? requestFor(endpoint, await this.#bodyOf(endpoint))
      : { method: 'GET', url: '{{base}}/', headers: {} };
    await project.create(path, writeRequest(request));
    layout.open(tabOf('request', path));
  }

  /** Sends what a run was given again, to the service that runs now. Its answer is said; what it does is a new run. */
  async sendAgain(thread: Thread): Promise<void> {
    const { announce } = this.#studio;
    const path = `run ${thread.id}`;
    const filled = this.#filled(writeRequest(this.#requestOf(thread)));
    await this.sender.send(path, filled);
    const sent = this.sender.history.value.find((exchange) => exchange.path === path);
    if (sent?.problem !== undefined) throw new Error(sent.problem);
    const without = wholeness(thread.input).isMasked ? ' It was sent without its credentials, which no run shows.' : '';
    announce(`Answered with ${sent?.answer?.status}.${without}`);
  }

  /** Writes what a run was given into a file and opens it: a new one, or that of changes, which are to be sent. */
  async keepRun(thread: Thread, how: 'new' | 'changes'): Promise<void> {
    const { project, layout, announce } = this.#studio;
    const text = writeRequest(this.#requestOf(thread, true));
    const files = new Set(project.entries.value.map(({ path }) => path));
    const name = { method: 'changed', path: thread.flow };
    const path = how === 'changes' ? pathFor(name, new Set()) : pathFor(this.#endpointOf(thread), files);
    if (files.has(path)) {
      const document = await project.open(path);
      document.apply([{ range: { start: 0, end: document.text.length }, text }]);
    } else await project.create(path, text);
    layout.open(tabOf('request', path));
    announce(`The request is in ${path}.`);
  }

  /** The message that the request file of a flow sends; undefined where there is no such file, or it cannot be read. */
  async sampleOf(flow: OutlineFlow): Promise<FoundSample | undefined> {
    const { project, bridge } = this.#studio;
    const endpoint = endpointsOf(flowsOf(this.#studio).outline.value).find((each) => each.flow === flow.name);
    const from = endpoint && pathFor(endpoint, new Set());
    if (from === undefined || !project.entries.value.some(({ path }) => path === from)) return undefined;
    const open = project.documents.value.get(from);
    try {
      const text = open?.text ?? (await bridge.call('files.read', { path: from })).text;
      const { body, variables } = readRequest(text);
      const fields = typeof body === 'object' && body !== null && !Array.isArray(body) ? body : {};
      return { from, input: { ...fields, ...variables } };
    } catch {
      // It is on its way to be a request.
      return undefined;
    }
  }

  /** Why the input of a run cannot be sent; undefined when it can. */
  refused(thread: Thread): string | undefined {
    return refusedAsRequest(thread, flowsOf(this.#studio).outline.value);
  }

  #endpointOf(thread: Thread): Endpoint {
    const { value: outline } = flowsOf(this.#studio).outline;
    const endpoint = endpointOf(thread, outline);
    const reason = refusedAsRequest(thread, outline);
    if (endpoint === undefined || reason !== undefined) throw new Error(reason);
    return endpoint;
  }

  #requestOf(thread: Thread, kept = false): Request {
    return requestOf(thread, this.#endpointOf(thread), kept);
  }

  #refuse(path: string, text: string, error: unknown): void {
    const message = error instanceof Error ? error.message : String(error);
    this.refusals.update((all) => new Map(all).set(path, { text, message }));
  }

  /** Whether a request goes to the service of the folder, and that does not run yet. */
  #needsStart(text: string): boolean {
    return serviceOf(this.#studio).state.value.kind !== 'running' && isForOwnService(readRequest(text));
  }

  #filled(text: string): FilledRequest {
    const { value: state } = serviceOf(this.#studio).state;
    return fillRequest(readRequest(text), state.kind === 'running' ? state.addresses[0] : undefined);
  }

  /** What the endpoint reads: of sign-in as it is documented; of a flow every field that it checks, as the attached service tells; `{}` when none is attached. */
  async #bodyOf({ flow, members }: Endpoint): Promise<unknown> {
    if (flow === undefined) return bodyOfMembers(members ?? {});
    const debug = debugOf(this.#studio);
    if (!debug.isAttached) return {};
    try {
      const { validate } = await debug.call('inspect.flow', { name: flow });
      return skeletonOf(validate.input, await debug.call('inspect.types', {}));
    } catch {
      // The service runs an older text that has no such flow.
      return {};
    }
  }
}
