// What a flow costs, beside the function that a careful engineer would have written for the same message.

import { randomUUID } from 'node:crypto';
import { compilePlan } from '../../runtime/src/engine/plan/compile.ts';
import { planServices } from '../../runtime/src/engine/plan/testing/plan-services.ts';
import { load, messageOf } from '../../runtime/src/engine/plan/testing/service.ts';
import type { Connector } from '../../runtime/src/foundation/contracts/connector.ts';
import type { Message } from '../../runtime/src/foundation/contracts/message.ts';
import type { CallRequest } from '../../runtime/src/foundation/contracts/target.ts';
import type { Log } from '../../runtime/src/foundation/observe/log.ts';

const configuration = `
type "person" {
  name  = string({ max_length = 100 })
  email = string({ format = "email" })
  age   = number({ min = 0, required = false })
}
flow "hello" {
  from {
    connector = "api"
    operation = "GET /hello/:name"
  }
  response {
    message = "'Hello ' + input.name"
  }
}
flow "create" {
  from {
    connector = "api"
    operation = "POST /people"
  }
  validate { input = "person" }
  transform {
    id    = "uuid()"
    email = "lower(input.email)"
    name  = "trim(input.name)"
  }
  to {
    connector = "db"
    target    = "people"
  }
}
`;

/** Keeps what was written last, so that nothing is optimised away. */
let written: unknown;
const target = {
  prepare: () => (request: CallRequest) => {
    written = request.payload;
    return { affected: 1 };
  },
};

const quiet = (): void => undefined;
const _log: Log = { enabled: () => false, debug: quiet, info: quiet, warn: quiet, error: quiet, with: () => _log };
const project = load(configuration);
const plan = compilePlan(project);
const connectors = new Map<string, Connector>(
  [...project.connectors.keys()].map((name) => [
    name,
    { name, open: async () => undefined, close: async () => undefined, target },
  ]),
);
const { bindings } = plan.bind(connectors, planServices({ environment: 'production', production: true }));
const flow = (name: string) => {
  const found = [...bindings.values()].flat().find((binding) => binding.flow === name);
  if (!found) throw new Error(`there is no flow ${name}`);
  return found.deliver;
};

const headers = { host: 'localhost:3000', 'user-agent': 'bench', accept: '*/*', 'content-type': 'application/json' };
const greeting = (): Message => messageOf({ name: 'Ann', headers });
const person = (): Message => messageOf({ name: ' Ann Lee ', email: 'Ann@Example.org', age: 41, headers });

class Refused extends Error {}
const control = /[\x00-\x08\x0b\x0c\x0e-\x1f]/;

function handHello({ input }: Message) {
  const { name } = input;
  if (typeof name !== 'string' || control.test(name)) throw new Refused('name');
  return { kind: 'reply', value: { message: `Hello ${name}` } };
}

function handCreate({ input }: Message) {
  const { name, email, age } = input;
  if (typeof name !== 'string' || name.length > 100 || control.test(name)) throw new Refused('name');
  if (typeof email !== 'string' || !email.includes('@') || !email.includes('.') || control.test(email))
    throw new Refused('email');
  if (age !== undefined && (typeof age !== 'number' || age < 0)) throw new Refused('age');
  const payload = { id: randomUUID(), email: email.toLowerCase(), name: name.trim() };
  const { affected } = target.prepare()({ payload });
  return { kind: 'reply', value: { id: payload.id, affected } };
}

/** Nanoseconds for one message, the median of several rounds; making the message itself is part of both sides. */
function measure(work: () => unknown): number {
  let kept: unknown;
  const round = (count: number): number => {
    const began = process.hrtime.bigint();
    for (let at = 0; at < count; at++) kept = work();
    return Number(process.hrtime.bigint() - began) / count;
  };
  round(20_000);
  const rounds = Array.from({ length: 9 }, () => round(50_000)).sort((a, b) => a - b);
  if (kept === undefined) throw new Error('nothing was done');
  return rounds[4] as number;
}

function compare(title: string, ours: () => unknown, theirs: () => unknown, bare: () => unknown): void {
  const [flowTime, handTime, messageTime] = [measure(ours), measure(theirs), measure(bare)];
  const net = (flowTime - messageTime) / (handTime - messageTime);
  console.log(
    `  ${title.padEnd(44)} flow ${flowTime.toFixed(0).padStart(5)} ns   by hand ${handTime.toFixed(0).padStart(5)} ns   ` +
      `ratio ${(flowTime / handTime).toFixed(2)}   without the message ${net.toFixed(2)}`,
  );
}

const [hello, create] = [flow('hello'), flow('create')];
compare(
  'response alone',
  () => hello(greeting()),
  () => handHello(greeting()),
  greeting,
);
compare(
  'validate, 3-field transform, synchronous write',
  () => create(person()),
  () => handCreate(person()),
  person,
);
if (written === undefined) throw new Error('nothing was written');
