import { until } from '../../support/until.ts';
import { ask } from '../scenario.ts';
import { Collector } from './collector.ts';
import type { OtherEnd, Place, Row } from './row.ts';
import { BuiltService } from './service.ts';

/** The built program with the connectors of all rows: those that others ask, and those that ask them, in a service each. */
export class BuiltServices implements Place {
  readonly #asked: BuiltService;
  readonly #asking: BuiltService;
  readonly #askingNames: ReadonlySet<string>;
  readonly #ends: ReadonlyMap<string, OtherEnd>;
  readonly #collector: Collector;

  private constructor(
    services: readonly [asked: BuiltService, asking: BuiltService],
    askingNames: ReadonlySet<string>,
    ends: ReadonlyMap<string, OtherEnd>,
    collector: Collector,
  ) {
    [this.#asked, this.#asking] = services;
    this.#askingNames = askingNames;
    this.#ends = ends;
    this.#collector = collector;
  }

  /** `changed` may put something between a connector and what it speaks with. */
  static async start(
    rows: readonly Row[],
    changed: (end: OtherEnd) => OtherEnd | Promise<OtherEnd> = (end) => end,
  ): Promise<BuiltServices> {
    const collector = await Collector.start();
    const ends = new Map(
      await Promise.all(rows.map(async ({ name, start }) => [name, await changed(await start(name))] as const)),
    );
    const asking = rows.filter(({ asksAnother }) => asksAnother === true);
    const others = rows.filter(({ asksAnother }) => asksAnother !== true);
    const first = await BuiltService.start(others, ends, collector.address);
    const second = await BuiltService.start(asking, ends, collector.address);
    return new BuiltServices([first, second], new Set(asking.map(({ name }) => name)), ends, collector);
  }

  get address(): string {
    return this.#asked.address;
  }

  /** What a connector speaks with. Throws where the connector could not be opened. */
  end(name: string): OtherEnd {
    const reason = this.#of(name).unusable.get(name);
    if (reason !== undefined) throw new Error(`connector "${name}" cannot be used: ${reason}`);
    return this.#ends.get(name) as OtherEnd;
  }

  /** What the first service says of its health. */
  async health(): Promise<Readonly<Record<string, { readonly status: string; readonly message?: string }>>> {
    const { body } = await ask('GET', `${this.#asked.admin}/health`);
    return (body as { readonly components: Awaited<ReturnType<BuiltServices['health']>> }).components;
  }

  async call(name: string, text: string): Promise<unknown> {
    const { status, body } = await ask('POST', `${this.#of(name).address}/${name}`, { text });
    return status === 200 ? (body as { readonly text?: unknown }).text : body;
  }

  async reported(name: string, text: string): Promise<unknown> {
    return until(() => this.#collector.texts(`/${name}`).find((each) => each === text));
  }

  /** Closes every connector, and then what they speak with; resolves with how the programs ended. */
  async close(): Promise<readonly (number | null)[]> {
    const codes = [await this.#asking.close(), await this.#asked.close()];
    await Promise.all([...this.#ends.values()].map((end) => end.close?.()));
    await this.#collector.close();
    return codes;
  }

  #of(name: string): BuiltService {
    return this.#askingNames.has(name) ? this.#asking : this.#asked;
  }
}
