import type * as Grpc from '@grpc/grpc-js';
import { healthStatusOf, servingStatus, watchPath, wholeServer } from '../health-messages.ts';
import { statusCodes } from '../status.ts';

const asIs = (bytes: Buffer) => bytes;
/** Milliseconds before a server is asked again that no longer says whether it serves. */
const pause = 1000;

/** What one server says of itself as long as it is watched (`grpc.health.v1.Health/Watch`). */
export class HealthWatch {
  /** What it said last. It is taken to serve while it says nothing: whether it can be reached is known otherwise. */
  isServing = true;
  readonly #client: Grpc.Client;
  readonly #credentials: () => Promise<Grpc.Metadata>;
  #call: Grpc.ClientReadableStream<Buffer> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(client: Grpc.Client, credentials: () => Promise<Grpc.Metadata>) {
    this.#client = client;
    this.#credentials = credentials;
    void this.#watch();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#call?.cancel();
  }

  async #watch(): Promise<void> {
    const metadata = await this.#credentials().catch(() => undefined);
    if (this.#isClosed) return;
    if (metadata === undefined) return this.#again();
    metadata.setOptions({ waitForReady: true });
    const call = this.#client.makeServerStreamRequest(watchPath, asIs, asIs, wholeServer, metadata);
    this.#call = call;
    call.on('data', (answer: Buffer) => {
      this.isServing = healthStatusOf(answer) === servingStatus.serving;
    });
    // The end of the stream comes as a status in either case.
    call.on('error', () => undefined);
    call.on('status', ({ code }: Grpc.StatusObject) => {
      this.#call = undefined;
      this.isServing = true;
      // A server without a service of health is not asked again.
      if (code !== statusCodes.UNIMPLEMENTED) this.#again();
    });
  }

  #again(): void {
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => void this.#watch(), pause);
  }
}
