import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { WebSocket } from 'ws';
import { redisUrl } from '../../../../runtime/src/connectors/mq/pubsub/testing/bed.ts';
import { until } from '../../../support/until.ts';
import { handing, type OtherEnd, type Row, taking } from '../row.ts';
import { servicePort } from '../written.ts';

/** Where what was sent is kept for other processes. */
const storages = { memory: { driver: 'memory' }, redis: { driver: 'redis', url: redisUrl } } as const;

export const live: readonly Row[] = (['memory', 'redis'] as const).flatMap((driver): Row[] => {
  const chosen = { storage: storages[driver] };
  const isMissing = driver === 'redis' && redisUrl === undefined;
  return [
    { name: `websocket_${driver}`, connector: 'websocket', chosen, isMissing, start: websocket },
    { name: `sse_${driver}`, connector: 'sse', chosen, isMissing, start: stream },
  ];
});

const broadcast = 'operation = "broadcast"';

/** A client that says something, and hears what the flow sends to all. */
function websocket(name: string): OtherEnd {
  let client: WebSocket | undefined;
  const connected = async (address: string) => {
    if (client !== undefined) return client;
    client = new WebSocket(`${address.replace('http', 'ws')}/${name}/ws`);
    await once(client, 'open');
    return client;
  };
  return {
    block: { host: '127.0.0.1', port: servicePort, path: `/${name}/ws` },
    hcl: handing(name, broadcast) + taking(name, 'operation = "message"'),
    sends: async (text, place) => {
      const heard: string[] = [];
      (await connected(place.address)).on('message', (frame) => void heard.push(String(frame)));
      await place.call(name, text);
      return textIn(await until(() => heard.find((frame) => frame.includes(text))), text);
    },
    takes: async (text, place) => {
      (await connected(place.address)).send(JSON.stringify({ type: 'message', data: { text } }));
      return place.reported(name, text);
    },
    close: () => client?.terminate(),
  };
}

/** A client of a stream of events, whose connection begins a flow. */
function stream(name: string): OtherEnd {
  const clients: IncomingMessage[] = [];
  const connected = (address: string, id: string) =>
    new Promise<IncomingMessage>((resolve, reject) => {
      get(`${address}/${name}/events?text=${id}`, resolve).on('error', reject);
    });
  return {
    block: { host: '127.0.0.1', port: servicePort, path: `/${name}/events` },
    hcl: handing(name, broadcast) + taking(name, 'operation = "connect"', 'input.text'),
    sends: async (text, place) => {
      const client = await connected(place.address, 'none');
      clients.push(client);
      let heard = '';
      client.on('data', (piece) => (heard += piece));
      await place.call(name, text);
      await until(() => heard.includes(text));
      return textIn(heard, text);
    },
    takes: async (text, place) => {
      clients.push(await connected(place.address, text));
      return place.reported(name, text);
    },
    close: () => clients.map((client) => client.destroy()),
  };
}

/** The text in what was heard. */
function textIn(heard: string, text: string): string | undefined {
  return /"text":\s*"([^"]*)"/.exec(heard.slice(Math.max(0, heard.indexOf(text) - 20)))?.[1];
}
