import type { QueueCounts } from '../../../../foundation/contracts/queue.ts';
import type { GroupClient } from './client.ts';
import type { KeptPart } from './kept-records.ts';

/** What a group has before it in the partitions of a topic. */
export function countsOf(parts: readonly Omit<KeptPart, 'topic'>[]): QueueCounts {
  const partitions = parts
    .map(({ partition, from, end, ahead }) => {
      const open = ahead?.open.filter((offset) => offset >= from).length ?? 0;
      const until = ahead !== undefined && ahead.until > from ? ahead.until : from;
      const lag = Math.max(0, Number(end - until) + open);
      return { partition, end: Number(end), committed: Number(from), lag };
    })
    .sort((one, other) => one.partition - other.partition);
  const sum = (of: (each: (typeof partitions)[number]) => number) =>
    partitions.reduce((all, each) => all + of(each), 0);
  return {
    ready: sum(({ lag }) => lag),
    arrived: sum(({ end }) => end),
    done: sum(({ end, lag }) => end - lag),
    partitions,
  };
}

/** Members of a group; undefined where the brokers do not say it to this user. */
export async function membersOf({ cluster }: GroupClient, groupId: string): Promise<number | undefined> {
  try {
    const coordinator = await cluster.findGroupCoordinator({ groupId });
    const { groups } = await coordinator.describeGroups({ groupIds: [groupId] });
    return groups[0]?.members.length;
  } catch {
    return undefined;
  }
}
