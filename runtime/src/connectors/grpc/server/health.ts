import type * as Grpc from '@grpc/grpc-js';
import { checkPath, healthAnswer, healthServiceOf, servingStatus, watchPath } from '../health-messages.ts';
import { statusCodes } from '../status.ts';

/** Streams of callers that watch, at a time; further ones are refused. */
const mostWatchers = 1_000;

const asIs = (bytes: Buffer) => bytes;

/**
 * The health service of gRPC (`grpc.health.v1.Health`), which balancers and Kubernetes ask: the server, and each service
 * with a flow, serves until it stops. It needs no credentials and says nothing else.
 */
export class HealthService {
  #services: ReadonlySet<string> = new Set();
  readonly #watchers = new Set<Grpc.ServerWritableStream<Buffer, Buffer>>();

  /** The services that have flows, from now on. */
  serve(services: ReadonlySet<string>): void {
    this.#services = services;
  }

  register(server: Grpc.Server): void {
    const check: Grpc.handleUnaryCall<Buffer, Buffer> = ({ request }, done) => {
      if (this.#isServed(request)) done(null, healthAnswer(servingStatus.serving));
      else done({ code: statusCodes.NOT_FOUND, details: 'the service is unknown' });
    };
    server.register(checkPath, check, asIs, asIs, 'unary');
    const watch: Grpc.handleServerStreamingCall<Buffer, Buffer> = (call) => this.#watch(call);
    server.register(watchPath, watch, asIs, asIs, 'serverStream');
  }

  /** Tells those who watch, and ends their streams. */
  stop(): void {
    for (const call of this.#watchers) {
      call.write(healthAnswer(servingStatus.notServing));
      call.end();
    }
    this.#watchers.clear();
  }

  #watch(call: Grpc.ServerWritableStream<Buffer, Buffer>): void {
    if (this.#watchers.size >= mostWatchers) {
      call.emit('error', { code: statusCodes.RESOURCE_EXHAUSTED, details: `${mostWatchers} callers watch already` });
      return;
    }
    this.#watchers.add(call);
    const gone = () => void this.#watchers.delete(call);
    call.on('cancelled', gone);
    call.on('close', gone);
    call.write(healthAnswer(this.#isServed(call.request) ? servingStatus.serving : servingStatus.serviceUnknown));
  }

  /** Whether the service of a `HealthCheckRequest` is served; an empty name is the whole server. */
  #isServed(request: Buffer): boolean {
    const service = healthServiceOf(request);
    return service === '' || (service !== undefined && this.#services.has(service));
  }
}
