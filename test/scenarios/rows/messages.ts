import { flow, type RowVerb, to, written } from './flows.ts';
import { type TargetKind, targets } from './targets.ts';

/** What a flow says of a message with the fields of an order below `path`, beside an `id` of its own. */
const transform = ({ key }: TargetKind, path: string) =>
  `transform {\n    ${key} = "${path}.order_id"\n    state = "has(${path}.state) ? ${path}.state : ''"\n  }`;

/** What is the message of a flow by its name: a queue, a topic, a subject. */
export const placeOf = (names: string, { name }: TargetKind, verb: RowVerb) => `${names}.${name}.${verb}`;
export const topicOf = (names: string, { name }: TargetKind, verb: RowVerb) => `${names}/${name}/${verb}`;
export const changedTable = ({ name }: TargetKind, verb: RowVerb) => `src_${name}_${verb}`;

const each = <Made>(make: (target: TargetKind, verb: RowVerb) => Made) =>
  targets.flatMap((target) => written.map((verb) => make(target, verb)));

/** Connectors that every flow shares. */
const connectors = (names: string) => `connector "changes" {
  type      = "cdc"
  driver    = "postgres"
  url       = env("CHANGES")
  slot_name = env("SLOT")
  create_if_missing = true
  tables = [${each((target, verb) => `"${changedTable(target, verb)}"`).join(', ')}]
}
connector "mqtt" {
  type      = "mqtt"
  broker    = env("MQTT")
  client_id = "${names}"
  qos       = 1
}
connector "nats" {
  type   = "mq"
  driver = "nats"
  url    = env("NATS")
  consumer {
    stream            = "${names}"
    durable           = "rows"
    create_if_missing = true
    subjects          = ["${names}.>"]
    workers           = 4
  }
}
connector "kafka" {
  type    = "mq"
  driver  = "kafka"
  brokers = [env("KAFKA")]
  consumer {
    group_id = "${names}"
    topics   = [${each((target, verb) => `"${placeOf(names, target, verb)}"`).join(', ')}]
    offset   = "earliest"
    max_wait_time = "100ms"
    workers  = 4
  }
}
connector "files" {
  type           = "file"
  base_path      = env("FILES")
  watch_interval = "100ms"
  watch {
    done    = "done"
    failed  = "failed"
    workers = 4
  }
}
connector "turns" {
  type     = "database"
  driver   = "sqlite"
  database = "turns.db"
}
`;

function flowsOf(names: string, target: TargetKind, verb: RowVerb): string {
  const { name, key } = target;
  const place = placeOf(names, target, verb);
  const destination = to(target, verb, 'names the verb');
  const taking = (source: string, connector: string, operation: string, path: string) =>
    flow(`${source}_${name}_${verb}`, connector, operation, `${transform(target, path)}\n  ${destination}`);
  const hook = (source: string) =>
    `connector "${source}_${name}_${verb}" {\n  type = "webhook"\n  mode = "inbound"\n  path = "/${source}/${name}/${verb}"\n}\n`;
  return [
    hook('hook'),
    taking('webhook', `hook_${name}_${verb}`, '', 'input.body'),
    `connector "queue_${name}_${verb}" {\n  type = "mq"\n  driver = "rabbitmq"\n  url = env("BROKER")\n  consumer {\n    queue = "${place}"\n    create_if_missing = true\n  }\n}\n`,
    taking('queue', `queue_${name}_${verb}`, '', 'input.body'),
    taking('changes', 'changes', `INSERT:${changedTable(target, verb)}`, 'input.new'),
    `connector "live_${name}_${verb}" {\n  type = "websocket"\n  host = "127.0.0.1"\n  port = env("PORT")\n  path = "/live/${name}/${verb}"\n}\n`,
    taking('websocket', `live_${name}_${verb}`, 'message', 'input'),
    taking('mqtt', 'mqtt', topicOf(names, target, verb), 'input'),
    taking('nats', 'nats', place, 'input.body'),
    taking('kafka', 'kafka', place, 'input.body'),
    taking('files', 'files', `${name}/${verb}/*.json`, 'input'),
    `flow "schedule_${name}_${verb}" {
  when {
    schedule = "@every 1s"
  }
  step "turn" {
    connector = "turns"
    query     = "DELETE FROM turns WHERE flow = '${name}.${verb}' RETURNING order_id, state"
  }
  transform {
    ${key} = "has(step.turn.order_id) ? step.turn.order_id : ''"
    state = "has(step.turn.state) ? step.turn.state : ''"
  }
  ${destination.replace('to {', `to {\n    when = "output.${key} != ''"`)}
}
`,
    hook('entry'),
    flow(`entry_${name}_${verb}`, `entry_${name}_${verb}`, '', 'response {\n    taken = "true"\n  }'),
    `aspect "run_${name}_${verb}" {
  on   = ["entry_${name}_${verb}"]
  when = "before"
  action {
    flow = "called_${name}_${verb}"
    transform {
      ${key} = "input.body.order_id"
      state  = "has(input.body.state) ? input.body.state : ''"
    }
  }
}
flow "called_${name}_${verb}" {
  ${destination}
}
`,
  ].join('');
}

/** Flows of every source whose messages are those of no caller. `names` begins the names of what is at servers. */
export function messageSources(names: string): string {
  return connectors(names) + each((target, verb) => flowsOf(names, target, verb)).join('');
}
