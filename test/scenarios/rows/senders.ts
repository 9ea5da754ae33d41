import { once } from 'node:events';
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { WebSocket } from 'ws';
import { changedTable, placeOf, topicOf } from './messages.ts';
import type { Order, SourceKind } from './sources.ts';

/** A message with an identifier of its own, which is that of no row. */
const event = (order: Order) => ({ id: `event-${order.key}`, order_id: order.key, state: order.state });

const hook =
  (path: string): SourceKind['send'] =>
  async ({ service }, target, verb, order) => {
    const { status, text } = await service.ask('POST', `/${path}/${target.name}/${verb}`, event(order));
    return `${status} ${text.replace(/"id":"[^"]*"/, '"id":"…"')}`;
  };

/** Sources whose messages are those of no caller, or whose callers wait for no row. */
export const senders: readonly SourceKind[] = [
  { name: 'webhook', title: 'Webhook', answers: false, send: hook('hook') },
  {
    name: 'websocket',
    title: 'WebSocket',
    answers: false,
    async send({ service }, target, verb, order) {
      const socket = new WebSocket(`${service.address.replace(/^http/, 'ws')}/live/${target.name}/${verb}`);
      await once(socket, 'open');
      const answer = once(socket, 'message');
      socket.send(JSON.stringify({ type: 'message', data: event(order) }));
      const [frame] = (await answer) as [Buffer];
      socket.close();
      return frame.toString();
    },
  },
  {
    name: 'queue',
    title: 'RabbitMQ',
    answers: false,
    async send({ servers }, target, verb, order) {
      await servers.queue(placeOf(servers.names, target, verb), event(order));
      return '';
    },
  },
  {
    name: 'kafka',
    title: 'Kafka',
    answers: false,
    async send({ servers }, target, verb, order) {
      await servers.log(placeOf(servers.names, target, verb), event(order));
      return '';
    },
  },
  {
    name: 'nats',
    title: 'NATS',
    answers: false,
    async send({ servers }, target, verb, order) {
      await servers.subject(placeOf(servers.names, target, verb), event(order));
      return '';
    },
  },
  {
    name: 'mqtt',
    title: 'MQTT',
    answers: false,
    async send({ servers }, target, verb, order) {
      await servers.topic(topicOf(servers.names, target, verb), event(order));
      return '';
    },
  },
  {
    name: 'changes',
    title: 'Changes of a table',
    answers: false,
    async send({ servers }, target, verb, { key, state = '' }) {
      await servers.change(`INSERT INTO ${changedTable(target, verb)} (order_id, state) VALUES ($1, $2)`, [key, state]);
      return '';
    },
  },
  {
    name: 'files',
    title: 'Files',
    answers: false,
    async send({ servers: { files } }, target, verb, order) {
      const folder = join(files, target.name, verb);
      mkdirSync(folder, { recursive: true });
      const name = join(folder, `${order.key}-${order.state ?? 'none'}`);
      writeFileSync(name, JSON.stringify(event(order)));
      renameSync(name, `${name}.json`);
      return '';
    },
  },
  {
    name: 'schedule',
    title: 'Schedule',
    answers: false,
    async send({ service }, { name }, verb, { key, state = '' }) {
      const turns = new DatabaseSync(join(service.directory, 'turns.db'), { timeout: 10_000 });
      turns.prepare('INSERT INTO turns VALUES (?, ?, ?)').run(`${name}.${verb}`, key, state);
      turns.close();
      return '';
    },
  },
  { name: 'called', title: 'A flow that an aspect runs', answers: false, send: hook('entry') },
];
