import type { ConnectorValues } from '@svc/protocol/schema';
import { globMatches } from '../../../platform/sync/glob.ts';
import { checkLength } from '../../intake/dispatch/operation-rules.ts';
import { channelGlobs, isPattern } from '../../intake/dispatch/routes.ts';

/** Bytes of the name of a channel; the server takes longer ones, which no program has. */
const longestChannel = 1024;

/** What is subscribed to. */
export interface Channels {
  readonly channels: readonly string[];
  readonly patterns: readonly string[];
}

/** What the connector names; undefined where the flows do. */
export function channelsOf({ channels = [], patterns = [] }: Partial<Channels>): Channels | undefined {
  return channels.length === 0 && patterns.length === 0 ? undefined : { channels, patterns };
}

/** What operations of flows mean: without one, every channel. */
export function sourcesOf(operations: readonly (string | undefined)[]): readonly string[] {
  return [...new Set(operations.map((operation) => operation || '*'))];
}

/** Whether the text of an operation is subscribed to as a pattern. */
export function isChannelPattern(text: string): boolean {
  return isPattern(text, channelGlobs);
}

/** Why a text is not the name of a channel, or undefined. Pure. */
export function checkChannel(channel: string): string | undefined {
  return checkLength(channel, longestChannel, 'the name of a channel');
}

/** Why an operation of a flow takes nothing, or undefined. Pure. */
export function checkOperation(operation: string, config: ConnectorValues): string | undefined {
  const tooLong = checkChannel(operation);
  if (tooLong !== undefined) return tooLong;
  const named = channelsOf(config as Partial<Channels>);
  if (named === undefined || operation === '*' || operation === '#' || named.patterns.includes(operation))
    return undefined;
  if (operation.includes('['))
    return `"${operation}" is not one of \`patterns\`: brackets are understood by the server alone`;
  const isTaken = isChannelPattern(operation)
    ? named.patterns.length > 0 || named.channels.some((channel) => globMatches(operation, channel))
    : named.channels.includes(operation) ||
      named.patterns.some((pattern) => pattern.includes('[') || globMatches(pattern, operation));
  return isTaken ? undefined : `the connector subscribes to no channel that "${operation}" takes`;
}
