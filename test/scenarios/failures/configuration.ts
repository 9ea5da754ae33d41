import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type places, type Way, ways } from './ways.ts';

/** What callers of servers with `limits` send. */
export const key = 'a key of twenty letters';
export const capital = (name: string) => `${name[0]?.toUpperCase()}${name.slice(1)}`;

const callers = (areKnown: boolean) => (areKnown ? `auth {\n    type = "api_key"\n    keys = ["${key}"]\n  }` : '');
/** What only servers with a time for an answer say, which know their callers. */
const limits = (areThere: boolean) => (areThere ? `timeout = "2s"\n  ${callers(true)}` : '');

const servers = (isLimited: boolean) => `service {
  name       = "failures"
  admin_port = env("ADMIN_PORT")
}
type "numbered" { n = number }
connector "rest" {
  type = "rest"
  port = env("PORT")
  ${limits(isLimited)}
}
connector "graphql" {
  type = "graphql"
  port = env("GRAPHQL_PORT")
  ${limits(isLimited)}
  schema { path = "schema.graphql" }
  subscriptions { enabled = true }
}
connector "grpc" {
  type       = "grpc"
  port       = env("GRPC_PORT")
  ${limits(isLimited)}
  proto_path = "proto"
}
connector "soap11" {
  type = "soap"
  port = env("SOAP11_PORT")
  ${limits(isLimited)}
}
connector "soap12" {
  type         = "soap"
  port         = env("SOAP12_PORT")
  ${limits(isLimited)}
  soap_version = "1.2"
}
connector "json" {
  type   = "tcp"
  driver = "server"
  port   = env("JSON_PORT")
}
connector "msgpack" {
  type     = "tcp"
  driver   = "server"
  port     = env("MSGPACK_PORT")
  protocol = "msgpack"
}
connector "nestjs" {
  type     = "tcp"
  driver   = "server"
  port     = env("NESTJS_PORT")
  protocol = "nestjs"
}
connector "db" {
  type     = "database"
  driver   = "sqlite"
  database = "failures.db"
}
connector "slow" {
  type        = "http"
  base_url    = env("SLOW_URL")
  timeout     = "100ms"
}
connector "endless" {
  type        = "http"
  base_url    = env("SLOW_URL")
  timeout     = "1h"
}
`;

/** What starts the flow of a way, by its connector, or a word for one that it shares. */
function triggers({ name }: Way): Readonly<Record<(typeof places)[number], string>> {
  return {
    rest: `POST /${name}`,
    mutation: `Mutation.${name}`,
    subscription: `Subscription.${name}`,
    grpc: `Failures/${capital(name)}`,
    stream: `Failures/Watch${capital(name)}`,
    soap11: capital(name),
    soap12: capital(name),
    json: name,
    msgpack: name,
    nestjs: name,
    live: 'message',
    word: 'save',
  };
}

function flows(way: Way): string {
  const connectors: Readonly<Record<string, string>> = {
    mutation: 'graphql',
    subscription: 'graphql',
    stream: 'grpc',
    live: `live_${way.name}`,
    word: `live_${way.name}`,
  };
  const of = (place: string) => connectors[place] ?? place;
  const live = `connector "live_${way.name}" {\n  type = "websocket"\n  port = env("LIVE_PORT")\n  path = "/${way.name}"\n  ${callers(way.limits !== undefined)}\n}\n`;
  const each = Object.entries(triggers(way)).map(
    ([place, operation]) => `${way.saga === true ? 'saga' : 'flow'} "${way.name}_${place}" {
  from {
    connector = "${of(place)}"
    operation = "${operation}"
  }
  ${way.body}
}
`,
  );
  return live + each.join('') + (way.beside ?? '');
}

const schema = `type Query { ping: String }
type Answer { a: String m: Int }
type Mutation {
${ways.map(({ name, field = 'Answer' }) => `  ${name}(n: String): ${field}`).join('\n')}
}
type Subscription {
${ways.map(({ name }) => `  ${name}(n: String): Answer`).join('\n')}
}
`;

const proto = `syntax = "proto3";
message Asked { string n = 1; }
message Answer { string a = 1; int32 m = 2; string code = 3; string message = 4; }
service Failures {
${ways
  .flatMap(({ name }) => [
    `  rpc ${capital(name)}(Asked) returns (Answer);`,
    `  rpc Watch${capital(name)}(Asked) returns (stream Answer);`,
  ])
  .join('\n')}
}
`;

/** Writes a service whose flows fail in every way, behind everything that answers. */
export function writeConfiguration(directory: string, isLimited: boolean): void {
  mkdirSync(join(directory, 'proto'));
  writeFileSync(join(directory, 'service.hcl'), servers(isLimited));
  writeFileSync(join(directory, 'flows.hcl'), ways.map(flows).join(''));
  writeFileSync(join(directory, 'schema.graphql'), schema);
  writeFileSync(join(directory, 'proto', 'failures.proto'), proto);
}
