import { flow, type RowVerb, to, verbs } from './flows.ts';
import { messageSources } from './messages.ts';
import { type TargetKind, targets } from './targets.ts';

export const pascal = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

const methods: Readonly<Record<RowVerb, string>> = {
  insert: 'POST /NAME/orders',
  update: 'PUT /NAME/orders/:KEY',
  upsert: 'PUT /NAME/upserts/:KEY',
  delete: 'DELETE /NAME/orders/:KEY',
  read: 'GET /NAME/orders/:KEY',
};

const names: Readonly<Record<RowVerb, string>> = {
  insert: 'create',
  update: 'update',
  upsert: 'upsert',
  delete: 'delete',
  read: 'get',
};

/** The operation of a GraphQL field or of a SOAP service. */
export const called = ({ name }: Pick<TargetKind, 'name'>, verb: RowVerb) => `${names[verb]}${pascal(name)}`;
function flowsOf(target: TargetKind): string {
  const { name, key } = target;
  const callers = verbs.flatMap((verb) => {
    const route = methods[verb].replace('NAME', name).replace('KEY', key);
    const field = `${verb === 'read' ? 'Query' : 'Mutation'}.${called(target, verb)}`;
    return [
      flow(`rest_${name}_${verb}`, 'api', route, to(target, verb, '')),
      flow(`graphql_${name}_${verb}`, 'graphql', field, to(target, verb, '')),
      flow(`soap_${name}_${verb}`, 'soap', pascal(called(target, verb)), to(target, verb, '')),
      flow(`tcp_${name}_${verb}`, 'tcp', `${name}.${verb}`, to(target, verb, 'names the verb')),
      flow(`grpc_${name}_${verb}`, 'grpc', `Rows/${pascal(called(target, verb))}`, to(target, verb, '')),
    ];
  });
  return `connector "${name}" {\n  ${target.connector}\n}\n${callers.join('')}`;
}

/** Flows of every kind of source into every kind of target, with each verb. */
export function configuration(names: string): string {
  return `service {
  name       = "rows"
  admin_port = env("ADMIN_PORT")
}
connector "api" {
  type = "rest"
  host = "127.0.0.1"
  port = env("PORT")
}
connector "graphql" {
  type = "graphql"
  port = env("GRAPHQL_PORT")
  schema {
    path = "schema.graphql"
  }
}
connector "soap" {
  type      = "soap"
  port      = env("SOAP_PORT")
  namespace = "urn:rows"
}
connector "tcp" {
  type   = "tcp"
  driver = "server"
  port   = env("TCP_PORT")
}
connector "grpc" {
  type       = "grpc"
  port       = env("GRPC_PORT")
  proto_path = "proto"
}
${messageSources(names)}${targets.map(flowsOf).join('')}`;
}

export function schema(): string {
  const fields = (verb: 'read' | 'write') =>
    targets
      .flatMap((target) =>
        verbs
          .filter((each) => (each === 'read') === (verb === 'read'))
          .map(
            (each) =>
              `  ${called(target, each)}(${target.key}: ID, state: String): ${verb === 'read' ? '[Order]' : 'Order'}`,
          ),
      )
      .join('\n');
  return `type Order {\n  order_id: ID\n  id: ID\n  state: String\n  affected: Int\n}\ntype Query {\n${fields('read')}\n}\ntype Mutation {\n${fields('write')}\n}\n`;
}

/** The methods of gRPC. */
export const proto = `syntax = "proto3";
message Order { optional string order_id = 1; optional string id = 2; optional string state = 3; }
message Answer {
  optional string order_id = 1;
  string id = 2;
  optional string state = 3;
  optional int32 affected = 4;
  string _id = 5;
  double _score = 6;
}
message Answers { repeated Answer items = 1; }
service Rows {
${targets
  .flatMap((target) =>
    verbs.map(
      (verb) => `  rpc ${pascal(called(target, verb))}(Order) returns (${verb === 'read' ? 'Answers' : 'Answer'});`,
    ),
  )
  .join('\n')}
}
`;
