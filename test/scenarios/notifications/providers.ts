import { botBed } from '../../../runtime/src/connectors/notify/discord/testing/beds.ts';
import { apnsBed, pem } from '../../../runtime/src/connectors/notify/push/apns/testing/bed.ts';
import { account, fcmBed } from '../../../runtime/src/connectors/notify/push/fcm/testing/bed.ts';
import { appBed, webhookBed as hookBed } from '../../../runtime/src/connectors/notify/slack/testing/beds.ts';
import { snsBed } from '../../../runtime/src/connectors/notify/sms/sns/testing/bed.ts';
import { twilioBed } from '../../../runtime/src/connectors/notify/sms/twilio/testing/bed.ts';
import { type ChannelBed, taking } from '../../../runtime/src/connectors/notify/testing/bed.ts';
import {
  type Asked,
  type Given,
  type Misbehaviour,
  Provider,
} from '../../../runtime/src/connectors/notify/testing/provider.ts';

/** A channel of the scenario: how its provider answers, and the variables that name the provider and its credentials. */
export interface ScenarioChannel {
  readonly bed: ChannelBed;
  readonly env: (url: string) => Readonly<Record<string, string>>;
}

/** By the path at which the service takes messages for it; `hook` takes those of failures. */
export const channels = {
  discord: { bed: botBed, env: (url) => ({ DISCORD_URL: url, DISCORD_TOKEN: 'kept-secret-token' }) },
  slack: { bed: appBed, env: (url) => ({ SLACK_URL: url, SLACK_TOKEN: 'xoxb-kept-secret' }) },
  hook: { bed: hookBed, env: (url) => ({ SLACK_HOOK: `${url}/services/T1/B1/kept-secret-hook` }) },
  twilio: { bed: twilioBed, env: (url) => ({ TWILIO_URL: url, TWILIO_TOKEN: 'kept-secret' }) },
  sns: { bed: snsBed, env: (url) => ({ SNS_URL: url, SNS_KEY: 'KEPTACCESSKEY', SNS_SECRET: 'kept-secret' }) },
  fcm: { bed: fcmBed, env: (url) => ({ FIREBASE_URL: url, FIREBASE_KEY: account(url) }) },
  apns: { bed: apnsBed, env: (url) => ({ APPLE_URL: url, APPLE_KEY: pem }) },
} as const satisfies Readonly<Record<string, ScenarioChannel>>;

export type ChannelName = keyof typeof channels;

/** The providers of all channels. */
export class Providers {
  readonly env: Record<string, string> = {};
  readonly #all = new Map<ChannelName, Provider>();

  static async start(): Promise<Providers> {
    const providers = new Providers();
    for (const [name, { bed, env }] of Object.entries(channels) as [ChannelName, ScenarioChannel][]) {
      const provider = await Provider.start(taking(bed), bed.protocol);
      providers.#all.set(name, provider);
      Object.assign(providers.env, env(provider.url));
    }
    return providers;
  }

  /** What its messages are answered from now on; requests for access tokens are answered as before. */
  answers(name: ChannelName, answer: (asked: Asked) => Given | Misbehaviour): void {
    const { before }: ChannelBed = channels[name].bed;
    this.#of(name).answers((asked) => before?.(asked) ?? answer(asked));
  }

  /** The requests with messages that it was sent. */
  messages(name: ChannelName): readonly Asked[] {
    const { before }: ChannelBed = channels[name].bed;
    return this.#of(name).sends.filter((asked) => before?.(asked) === undefined);
  }

  /** The texts of these. */
  texts(name: ChannelName): readonly unknown[] {
    return this.messages(name).map(channels[name].bed.textOf);
  }

  async close(): Promise<void> {
    for (const provider of this.#all.values()) await provider.close();
  }

  #of(name: ChannelName): Provider {
    return this.#all.get(name) as Provider;
  }
}
