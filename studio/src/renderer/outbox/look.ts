import type { OutboxEntry } from '@svc/protocol/wire';
import type { IconName } from '../theme/icon.tsx';

const icons: Readonly<Record<OutboxEntry['medium'], IconName>> = {
  mail: 'mail',
  chat: 'bell',
  text: 'bell',
  push: 'bell',
  request: 'send',
};

export function iconOf({ medium }: Pick<OutboxEntry, 'medium'>): IconName {
  return icons[medium];
}

/** One line for a message in a list. */
export function titleOf({ title, text }: Pick<OutboxEntry, 'title' | 'text'>): string {
  return title || text?.trim().split('\n')[0] || '(empty)';
}

/** Its addressees, as far as there is room. */
export function addresseesOf({ to, recipients }: Pick<OutboxEntry, 'to' | 'recipients'>): string {
  return recipients > to.length ? `${to.join(', ')} and ${recipients - to.length} more` : to.join(', ');
}
