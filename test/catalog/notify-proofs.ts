import type { Proof } from './proof.ts';

const folder = 'runtime/src/connectors/notify';
const suite = `${folder}/testing/channel-conformance.ts`;

/** What every channel says. */
const channel: Readonly<Record<string, Proof>> = {
  timeout: [suite, 'whose wait would be longer than the message may take fails at once'],
  'action.to': [suite, 'an action says the addressee of messages without one'],
};

const community = `${folder}/discord/channel.test.ts`;
const sender: Proof = [
  community,
  'a webhook is asked to wait, and shows the sender of the message, else that of the connector',
];
const byBot: Proof = [
  community,
  'a bot writes into the channel of the message, else the target, else that of the connector',
];

export const discord: Readonly<Record<string, Proof>> = {
  ...channel,
  webhook_url: sender,
  username: sender,
  avatar_url: sender,
  bot_token: byBot,
  channel_id: byBot,
  api_url: byBot,
};

const texts = `${folder}/sms/channels.test.ts`;
const form: Proof = [texts, 'a message is a form at the account, with its credentials'];
const published: Proof = [texts, 'a message is published with its sender and kind, signed for the region'];

export const twilio: Readonly<Record<string, Proof>> = {
  ...channel,
  account_sid: form,
  auth_token: form,
  api_url: form,
  from: [texts, 'a messaging service is sent as one, of the message and of the connector'],
};

export const sns: Readonly<Record<string, Proof>> = {
  ...channel,
  region: published,
  access_key_id: published,
  secret_access_key: published,
  sender_id: published,
  sms_type: published,
  api_url: published,
};

const pushes = `${folder}/push/channels.test.ts`;
const parts: Proof = [pushes, 'a message has its parts where the API takes them, and data are texts'];
const signed: Proof = [pushes, 'a message has its parts in headers and body, and a token of the key'];

export const fcm: Readonly<Record<string, Proof>> = {
  ...channel,
  service_account_json: [pushes, 'the key may be in a file'],
  project_id: parts,
  server_key: [pushes, 'a key of the API that has ended'],
  api_url: parts,
};

export const apns: Readonly<Record<string, Proof>> = {
  ...channel,
  team_id: signed,
  key_id: signed,
  private_key: signed,
  bundle_id: signed,
  production: [pushes, 'its address is that of the sandbox, or of production'],
  api_url: signed,
};

const batches = `${folder}/slack/batches.test.ts`;
const overWebhook: Proof = [
  batches,
  'the webhook is used where both are configured; a message has its own sender first',
];
const byApp: Proof = [
  batches,
  'an app asks with its token, for the channel of the message, the target or the connector',
];
const grouped: Proof = [batches, 'of every channel wait together where group_by is global, and are shown in their own'];

export const slack: Readonly<Record<string, Proof>> = {
  ...channel,
  webhook_url: overWebhook,
  username: overWebhook,
  icon_emoji: overWebhook,
  icon_url: [batches, 'over a webhook, a summary has the sender of the connector'],
  token: byApp,
  channel: byApp,
  api_url: byApp,
  'batch.enabled': [batches, 'a message of a connector without batching'],
  'batch.window': grouped,
  'batch.group_by': grouped,
  'batch.max_size': [
    batches,
    'are sent without waiting when there are max_size of them, by the caller of the last one',
  ],
  'batch.summary': [batches, 'is the expression of the configuration'],
};
