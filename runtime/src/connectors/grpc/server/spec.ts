import { block, type ConnectorValues, connector, duration, flag, int } from '@svc/protocol/schema';
import { hostAttribute, socketAttributes } from '../../../platform/http/sockets/server-spec.ts';
import { connectorAuth } from '../../../platform/identity/auth-spec.ts';
import { serverTlsBlock } from '../../../platform/net/tls-spec.ts';
import { everyConnector } from '../../core/spec.ts';
import { checkRpc, verbOfRpc } from '../operation.ts';
import { namedMethod, protoAttributes } from '../proto-spec.ts';

/** Why a block cannot be served, or undefined. */
function checkConfig({ auth }: ConnectorValues): string | undefined {
  const { query_param } = (auth ?? {}) as Readonly<Record<string, unknown>>;
  if (query_param !== undefined) return 'calls have no query: remove query_param from its auth';
  return undefined;
}

/** A gRPC server (docs/specification/grpc.md). */
export const grpcServer = connector({
  type: 'grpc',
  driver: 'server',
  defaultDriver: true,
  canonical: 'grpc',
  kind: 'api',
  config: block({
    doc: 'Serves flows as the methods of gRPC services, which `.proto` files define.',
    attributes: {
      host: hostAttribute,
      port: int('Port to listen on; 0 lets the system choose a free one.', { default: 50_051, min: 0, max: 65_535 }),
      ...protoAttributes,
      reflection: flag(
        'Whether tools may ask which services there are and what their messages have (`grpc.reflection`, v1 and v1alpha). Its callers need the credentials that all callers need.',
        { default: true },
      ),
      timeout: duration(
        'Longest time a call may take to be answered; the deadline of its caller counts where that is earlier.',
        { min: 1 },
      ),
      read_timeout: socketAttributes.read_timeout,
      read_rate: socketAttributes.read_rate,
      max_in_flight: int('Most calls at a time; further ones get UNAVAILABLE.', { default: 1000, min: 1 }),
      max_connections: int('Most connections at a time; further ones are closed at once.', { default: 10_000, min: 1 }),
      ...everyConnector.attributes,
    },
    blocks: { tls: serverTlsBlock, auth: connectorAuth },
    example: 'connector "rpc" {\n  type       = "grpc"\n  port       = 50051\n  proto_path = "./proto"\n}',
  }),
  operation: namedMethod,
  source: {
    operation: 'required',
    style: 'request',
    placement: 'every-worker',
    coexists: false,
    listens: 'alone',
    checksFiles: true,
    checkConfig,
    names: 'arguments',
    input: {
      headers: 'Metadata of the call by name, as far as it is text.',
      messages: 'All messages of a call whose method takes a stream.',
    },
    checkOperation: checkRpc,
    verb: verbOfRpc,
  },
});
