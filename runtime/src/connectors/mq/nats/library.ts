/** The client of servers, when it is first needed. The program is bundled, where a CommonJS package is its default alone. */
export async function transport() {
  return (await import('@nats-io/transport-node')).default;
}

/** What it knows of streams. */
export async function streams() {
  return (await import('@nats-io/jetstream')).default;
}
