/** Channels of Electron's messages between page and host: one for each service, one for each event. */
export function channelOf(name: string): string {
  return `studio:${name}`;
}

/** How a call over such a channel is answered. Errors travel as text: Electron would put its own words around them. */
export type CallAnswer = { readonly result: unknown } | { readonly error: string };
