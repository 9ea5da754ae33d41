import type { Proof } from './proof.ts';

const folder = 'runtime/src/connectors/notify/webhook';
const channel = `${folder}/outbound/channel.test.ts`;
const scenario = 'test/scenarios/webhooks/scenario.test.ts';

const named: Proof = [channel, 'a webhook is JSON with its identifier, its event, its time and its signature'];
const signed: Proof = [channel, 'with %s it is signed as that says'];
const waits: Proof = [
  channel,
  'is sent again with the same identifier and bytes, signed at its own time, after longer and longer waits',
];

export const webhookOutbound: Readonly<Record<string, Proof>> = {
  url: named,
  'action.to': [
    'runtime/src/connectors/notify/testing/channel-conformance.ts',
    'an action says the addressee of messages without one',
  ],
  method: [`${folder}/outbound/settings.test.ts`, 'PUT is how it is sent'],
  secret: named,
  signature_header: signed,
  signature_algorithm: signed,
  include_timestamp: [channel, 'S-96: another maker of webhooks verifies a signature without time'],
  timeout: [`${folder}/outbound/settings.test.ts`, 'a try ends after its timeout, and the next one begins'],
  allowed_hosts: [channel, 'may be inside of the network where the connector allows that'],
  'retry.attempts': waits,
  'retry.delay': waits,
  'retry.multiplier': waits,
  'retry.max_delay': [channel, 'waits no longer than it may, spread as they are'],
  'retry.retryable_statuses': [channel, 'fails at once where its status is not one to repeat'],
};

const settings = `${folder}/inbound/settings.test.ts`;

export const webhookInbound: Readonly<Record<string, Proof>> = {
  path: [scenario, 'is checked, handed to every flow, and answered when they have ended'],
  secret: [scenario, 'S-78: %s it is turned away before any flow'],
  signature_header: [settings, 'signature and time are in the headers that are configured'],
  timestamp_header: [settings, 'signature and time are in the headers that are configured'],
  signature_algorithm: [`${folder}/signature.test.ts`, 'of SHA-1 is taken where that is configured'],
  timestamp_tolerance: [settings, 'a time may be as far from now as is configured'],
  allowed_ips: [scenario, 'S-78: an address counts that a trusted proxy names, and no other'],
  trusted_proxies: [scenario, 'S-78: an address counts that a trusted proxy names, and no other'],
  timeout: [scenario, 'flows that take longer than the sender waits are ended'],
  max_body: [scenario, 'S-100: %s is refused as a text'],
  workers: [settings, 'as many are handled at the same time as there are workers'],
};
