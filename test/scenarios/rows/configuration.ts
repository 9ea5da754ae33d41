import { type TargetKind, targets } from './targets.ts';

export const verbs = ['insert', 'update', 'upsert', 'delete', 'read'] as const;
export type RowVerb = (typeof verbs)[number];

const words: Readonly<Record<RowVerb, string>> = {
  insert: 'INSERT',
  update: 'UPDATE',
  upsert: 'UPSERT',
  delete: 'DELETE',
  read: 'SELECT',
};

/** Verbs of sources without a caller that waits for an answer. */
export const written = verbs.filter((verb) => verb !== 'read');

export const pascal = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

function to(target: TargetKind, verb: RowVerb, says: 'names the verb' | ''): string {
  const operation = verb === 'upsert' ? target.upsert : says === '' ? '' : `operation = "${words[verb]}"`;
  return `to {\n    connector = "${target.name}"\n    target    = "orders"\n    ${operation}\n  }`;
}

function flow(name: string, connector: string, operation: string, body: string): string {
  const asked = operation === '' ? '' : `operation = "${operation}"`;
  return `flow "${name}" {\n  from {\n    connector = "${connector}"\n    ${asked}\n  }\n  ${body}\n}\n`;
}

/** What a flow says of a message with the fields of an order below `path`, beside an `id` of its own. */
const transform = ({ key }: TargetKind, path: string) =>
  `transform {\n    ${key} = "${path}.order_id"\n    state = "has(${path}.state) ? ${path}.state : ''"\n  }`;

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
export const queueOf = (prefix: string, { name }: TargetKind, verb: RowVerb) => `${prefix}.${name}.${verb}`;
export const changedTable = ({ name }: TargetKind, verb: RowVerb) => `src_${name}_${verb}`;

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
    ];
  });
  const others = written.flatMap((verb) => [
    `connector "hook_${name}_${verb}" {\n  type = "webhook"\n  mode = "inbound"\n  path = "/hooks/${name}/${verb}"\n}\n`,
    flow(
      `webhook_${name}_${verb}`,
      `hook_${name}_${verb}`,
      '',
      `${transform(target, 'input.body')}\n  ${to(target, verb, 'names the verb')}`,
    ),
    `connector "queue_${name}_${verb}" {\n  type = "mq"\n  driver = "rabbitmq"\n  url = env("BROKER")\n  consumer {\n    queue = "\${env("QUEUES")}.${name}.${verb}"\n    create_if_missing = true\n  }\n}\n`,
    flow(
      `queue_${name}_${verb}`,
      `queue_${name}_${verb}`,
      '',
      `${transform(target, 'input.body')}\n  ${to(target, verb, 'names the verb')}`,
    ),
    flow(
      `changes_${name}_${verb}`,
      'changes',
      `INSERT:${changedTable(target, verb)}`,
      `${transform(target, 'input.new')}\n  ${to(target, verb, 'names the verb')}`,
    ),
  ]);
  return `connector "${name}" {\n  ${target.connector}\n}\n${[...callers, ...others].join('')}`;
}

/** Flows of every kind of source into every kind of target, with each verb. */
export function configuration(): string {
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
connector "changes" {
  type      = "cdc"
  driver    = "postgres"
  url       = env("CHANGES")
  slot_name = env("SLOT")
  create_if_missing = true
  tables = [${targets.flatMap((target) => written.map((verb) => `"${changedTable(target, verb)}"`)).join(', ')}]
}
${targets.map(flowsOf).join('')}`;
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
