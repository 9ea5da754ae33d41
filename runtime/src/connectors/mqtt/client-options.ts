import type { IClientOptions } from 'mqtt';
import type { TlsMaterial } from '../../platform/net/tls.ts';
import { addressOf } from './address.ts';
import type { MqttConfig } from './spec.ts';

/** Seconds of a session that a broker of version 5 keeps as long as it can (MQTT 5, 3.1.2.11.2). */
const longestSession = 0xffff_ffff;

/** What every connection to the broker is made with. It is not made again by the library. */
export function clientOptions(config: MqttConfig, clientId: string, tls: TlsMaterial | undefined): IClientOptions {
  const { protocol_version, keep_alive, connect_timeout, prefetch, max_message, topic_alias_maximum } = config;
  const { protocol, host, port, path, username, password } = addressOf(config);
  return {
    protocol,
    // A WebSocket takes its host out of an address.
    host: path !== undefined && host.includes(':') ? `[${host}]` : host,
    port,
    ...(path !== undefined && { path, wsOptions: { ...tls } }),
    ...tls,
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password }),
    clientId,
    protocolVersion: protocol_version === '5' ? 5 : 4,
    clean: true,
    keepalive: Math.ceil(keep_alive / 1000),
    connectTimeout: connect_timeout,
    resubscribe: false,
    queueQoSZero: false,
    ...(protocol_version === '5' && {
      properties: {
        receiveMaximum: prefetch,
        maximumPacketSize: max_message,
        ...(topic_alias_maximum !== undefined && { topicAliasMaximum: topic_alias_maximum }),
      },
    }),
    autoAssignTopicAlias: topic_alias_maximum !== undefined,
  };
}

/** What the connection of `client_id` adds: its session at the broker, and its last will. */
export function sessionOptions(config: MqttConfig, options: IClientOptions): IClientOptions {
  const { clean_session: clean, session_expiry: expiry, will } = config;
  const seconds = expiry === undefined ? longestSession : Math.ceil(expiry / 1000);
  return {
    ...options,
    clean,
    ...(options.properties && {
      properties: { ...options.properties, ...(clean ? {} : { sessionExpiryInterval: seconds }) },
    }),
    ...(will && {
      will: {
        topic: will.topic,
        payload: Buffer.from(will.payload),
        qos: will.qos,
        retain: will.retain,
        ...(options.properties && { properties: willProperties(will) }),
      },
    }),
  };
}

/** What version 5 says of a last will, in whole seconds. */
function willProperties({ delay, expiration }: NonNullable<MqttConfig['will']>) {
  return {
    ...(delay !== undefined && { willDelayInterval: Math.ceil(delay / 1000) }),
    ...(expiration !== undefined && { messageExpiryInterval: Math.ceil(expiration / 1000) }),
  };
}
