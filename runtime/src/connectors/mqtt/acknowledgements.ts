import type { MqttClient, Packet } from 'mqtt';

/** The part of the client that sends a packet. The library acknowledges a message as soon as it was taken over. */
interface Sender {
  _sendPacket(packet: Packet, sent?: (error?: Error) => void, ...rest: unknown[]): void;
  /** Whether one more message of quality of service 2 is within the receive maximum; false: the library has ended the connection. */
  _trackIncomingQoS2Publish(messageId: number): boolean;
}

/**
 * Holds back the acknowledgements of messages until their flows have ended. Holding back the library's own callback
 * instead would stop it from reading: one message at a time, and no answer to its pings.
 */
export class Acknowledgements {
  readonly #send: Sender['_sendPacket'];
  /** By packet identifier; the packet is there once the library wanted to send it. */
  readonly #held = new Map<number, { packet: Packet | undefined; release: boolean }>();

  constructor(client: MqttClient) {
    const sender = client as unknown as Sender;
    // Mosquitto sends some more than the receive maximum under load. Each connection that ends over that brings messages
    // again that were handled, and the next one ends in the same way. Packet identifiers bound how many there can be.
    sender._trackIncomingQoS2Publish = () => true;
    this.#send = sender._sendPacket.bind(client);
    sender._sendPacket = (packet, sent, ...rest) => {
      const held = isAcknowledgement(packet) ? this.#held.get(packet.messageId ?? 0) : undefined;
      if (held === undefined) return this.#send(packet, sent, ...rest);
      held.packet = packet;
      if (held.release) this.#let(packet);
      sent?.();
    };
  }

  /** The acknowledgement of this message waits for the returned function. */
  hold(messageId: number): () => void {
    const entry: { packet: Packet | undefined; release: boolean } = { packet: undefined, release: false };
    this.#held.set(messageId, entry);
    return () => {
      if (this.#held.get(messageId) !== entry) return;
      entry.release = true;
      if (entry.packet !== undefined) this.#let(entry.packet);
    };
  }

  /** Whether a message of this identifier is held: one that the broker repeats is the same message (MQTT 3.1.1, 4.3.2). */
  holds(messageId: number): boolean {
    return this.#held.has(messageId);
  }

  /** The connection is gone: the broker delivers what was not acknowledged again. */
  forget(): void {
    this.#held.clear();
  }

  #let(packet: Packet): void {
    this.#held.delete(packet.messageId ?? 0);
    this.#send(packet);
  }
}

/** PUBACK ends the delivery of quality of service 1; PUBREC is the first answer of quality of service 2. */
function isAcknowledgement({ cmd }: Packet): boolean {
  return cmd === 'puback' || cmd === 'pubrec';
}
