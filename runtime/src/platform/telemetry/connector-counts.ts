import type { ConnectionCut } from '../../foundation/contracts/connector.ts';
import type { SourceCounts, SubscriptionCounts } from '../../foundation/contracts/observer.ts';
import type { Metrics } from '../../foundation/observe/metrics.ts';
import { ProfileMetrics } from './profile-metrics.ts';

/** What connectors are given to count with. */
export function connectorCounts(metrics: Metrics) {
  return {
    profiles: new ProfileMetrics(metrics),
    connectionCut: (connector: string, reason: ConnectionCut) =>
      void metrics.families.connectionsCut.of(connector, reason).value++,
    connectionLost: (connector: string) => void metrics.families.connectionsLost.of(connector).value++,
    buffered: (connector: string, by: number) =>
      void (metrics.families.notificationsBuffered.of(connector).value += by),
    sources: { of: (connector: string, driver: string) => sourceCounts(metrics, connector, driver) },
    subscriptions: { of: (connector: string) => subscriptionCounts(metrics, connector) },
  };
}

function sourceCounts({ families }: Metrics, connector: string, driver: string): SourceCounts {
  const tried = families.messagesRetried.of(connector, driver);
  const rejected = families.messagesRejected.of(connector, driver);
  const held = families.messagesHeld.of(connector, driver);
  const waiting = families.messagesWaiting.of(connector, driver);
  return {
    undispatched: (target, key) => void families.undispatched.of(connector, driver, target, key).value++,
    dropped: (reason) => void families.messagesDropped.of(connector, driver, reason).value++,
    passedOver: (kind) => void families.messagesPassedOver.of(connector, driver, kind).value++,
    triedAgain: () => void tried.value++,
    rejected: () => void rejected.value++,
    behind: (target, bytes) => {
      families.sourceLag.of(connector, driver, target).value = bytes;
    },
    held: (by) => void (held.value += by),
    waiting: (by) => void (waiting.value += by),
  };
}

function subscriptionCounts({ families }: Metrics, connector: string): SubscriptionCounts {
  const connections = families.subscriberConnections.of(connector);
  const subscriptions = families.subscriptions.of(connector);
  const delivered = families.subscriptionEvents.of(connector, 'delivered');
  const dropped = families.subscriptionEvents.of(connector, 'dropped');
  return {
    connected: (by) => void (connections.value += by),
    subscribed: (by) => void (subscriptions.value += by),
    delivered: () => void delivered.value++,
    dropped: () => void dropped.value++,
  };
}
