import type { OutboxEntry, OutboxMessage } from '@svc/protocol/wire';

/** What a list shows of a message. */
const mostAddressees = 3;
const longestText = 200;

export function entryOf({ name, at, connector, provider, medium, place, shown }: OutboxMessage): OutboxEntry {
  const { to, title, text } = shown;
  return {
    name,
    at,
    connector,
    provider,
    medium,
    place,
    to: to.slice(0, mostAddressees).map((one) => one.slice(0, longestText)),
    recipients: to.length,
    title: title?.slice(0, longestText),
    text: text?.slice(0, longestText),
  };
}
