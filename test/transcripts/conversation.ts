import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { joinedChannels } from '@svc/protocol/wire';
import { type Log, type Service, serviceOf } from '@svc/runtime';

const quiet = () => undefined;
const log: Log = { enabled: () => false, debug: quiet, info: quiet, warn: quiet, error: quiet, with: () => log };

const rest = 'connector "api" {\n  type = "rest"\n  port = 0\n  host = "127.0.0.1"\n}\n';
const admin = 'service {\n  name = "debugged"\n  admin_port = 0\n}\n';

export interface Started {
  readonly service: Service;
  /** Asks the REST connector; resolves with status and body. */
  ask(path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<string>;
  stop(): Promise<void>;
}

/** A service of this process over a configuration; connector `api` is there already. */
export async function startDebugged(
  configuration: string,
  options: { readonly environment?: string; readonly variables?: Readonly<Record<string, string>> } = {},
): Promise<Started> {
  const directory = mkdtempSync(join(tmpdir(), 'svc-debugged-'));
  writeFileSync(join(directory, 'main.hcl'), admin + rest + configuration);
  const service = serviceOf({ directory, log, variables: {}, ...options });
  const { addresses } = await service.start();
  const port = addresses.get('api')?.port;
  return {
    service,
    ask: async (path, body, headers = {}) => {
      const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
        ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
        headers: { 'content-type': 'application/json', 'user-agent': 'test', ...headers },
      });
      return `${answer.status} ${await answer.text()}`;
    },
    stop: async () => {
      await service.stop();
      rmSync(directory, { recursive: true });
    },
  };
}

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
}

/** One client that writes down everything that is said, with ids of threads numbered, durations and headers left out. */
export class Conversation {
  readonly #send: (text: string) => void;
  readonly #lines: string[];
  readonly #name: string;
  readonly #threads: Map<string, string>;
  readonly #messages: Message[] = [];
  readonly #changed: (() => void)[] = [];
  readonly close: () => void;
  #lastId = 0;

  private constructor(
    name: string,
    shared: { readonly lines: string[]; readonly threads: Map<string, string> },
    send: (text: string) => void,
    close: () => void,
  ) {
    this.#name = name;
    this.#lines = shared.lines;
    this.#threads = shared.threads;
    this.#send = send;
    this.close = close;
  }

  /** Another client of the same transcript shares `lines` and `threads`. */
  static async open(service: Service, name = '', beside?: Conversation): Promise<Conversation> {
    const [ours, theirs] = joinedChannels();
    const shared =
      beside === undefined ? { lines: [], threads: new Map() } : { lines: beside.#lines, threads: beside.#threads };
    const conversation = new Conversation(
      name,
      shared,
      (text) => void ours.send(text),
      () => ours.close(),
    );
    ours.receive((text) => conversation.#take(text));
    await service.debug?.connect(theirs);
    return conversation;
  }

  /** Sends a request and resolves with its result, or with its error. */
  async call(method: string, params?: unknown): Promise<unknown> {
    const id = ++this.#lastId;
    const given = params === undefined ? '' : ` ${this.#plain(params)}`;
    this.#lines.push(`${this.#name}→ ${method}${given}`);
    this.#send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    const { result, error } = await this.#find((message) => message.id === id);
    return error ?? result;
  }

  /** Sends a text as it is and resolves with whatever comes next. */
  async say(text: string): Promise<void> {
    this.#lines.push(`${this.#name}→ ${text}`);
    const before = this.#messages.length;
    this.#send(text);
    await this.#find((_, at) => at >= before);
  }

  /** Resolves with the parameters of an event that has not been waited for yet. */
  async event(method: string): Promise<Readonly<Record<string, unknown>>> {
    const found = await this.#find((message) => message.method === method);
    this.#messages.splice(this.#messages.indexOf(found), 1);
    return found.params ?? {};
  }

  /** Whether an event came that was not waited for. */
  has(method: string): boolean {
    return this.#messages.some((message) => message.method === method);
  }

  /** Writes a line of the story beside the protocol. */
  note(line: string): void {
    this.#lines.push(`-- ${line}`);
  }

  get text(): string {
    return `${this.#lines.join('\n')}\n`;
  }

  #take(text: string): void {
    const message = JSON.parse(text) as Message;
    const { method, params, result, error } = message;
    if (method !== undefined) this.#lines.push(`${this.#name}← ${method} ${this.#plain(params)}`);
    else
      this.#lines.push(`${this.#name}← ${error === undefined ? this.#plain(result) : `error ${this.#plain(error)}`}`);
    this.#messages.push(message);
    for (const wake of this.#changed.splice(0)) wake();
  }

  async #find(wanted: (message: Message, at: number) => boolean): Promise<Message> {
    for (;;) {
      const found = this.#messages.find(wanted);
      if (found !== undefined) return found;
      await new Promise<void>((resolve) => void this.#changed.push(resolve));
    }
  }

  #plain(value: unknown): string {
    const text = JSON.stringify(value, (key, each) => {
      if (key === 'headers') return '…';
      if (key === 'threadId' || (key === 'id' && /^t[0-9a-f]{16}$/.test(String(each))))
        return this.#thread(String(each));
      return key === 'durationUs' || key === 'pausedUs' ? 0 : each;
    });
    return text.replaceAll(/t[0-9a-f]{16}/g, (id) => this.#thread(id));
  }

  #thread(id: string): string {
    let name = this.#threads.get(id);
    if (name === undefined) this.#threads.set(id, (name = `thread ${this.#threads.size + 1}`));
    return name;
  }
}
