import { botBed } from '../../../../runtime/src/connectors/notify/discord/testing/beds.ts';
import { sendgridBed, sesBed } from '../../../../runtime/src/connectors/notify/email/testing/beds.ts';
import { apnsBed } from '../../../../runtime/src/connectors/notify/push/apns/testing/bed.ts';
import { fcmBed } from '../../../../runtime/src/connectors/notify/push/fcm/testing/bed.ts';
import { appBed } from '../../../../runtime/src/connectors/notify/slack/testing/beds.ts';
import { snsBed } from '../../../../runtime/src/connectors/notify/sms/sns/testing/bed.ts';
import { twilioBed } from '../../../../runtime/src/connectors/notify/sms/twilio/testing/bed.ts';
import { type ChannelBed, providerOf, taking } from '../../../../runtime/src/connectors/notify/testing/bed.ts';
import { outboundBed } from '../../../../runtime/src/connectors/notify/webhook/testing/beds.ts';
import type { Row, Written } from '../row.ts';

const beds: readonly (readonly [connector: string, bed: ChannelBed, chosen?: Written])[] = [
  ['notify/discord', botBed],
  ['notify/slack', appBed],
  ['notify/email/sendgrid', sendgridBed],
  ['notify/email/ses', sesBed],
  ['notify/sms/twilio', twilioBed],
  ['notify/sms/sns', snsBed],
  ['notify/push/fcm', fcmBed],
  ['notify/push/apns', apnsBed],
  ...['hmac-sha256', 'hmac-sha1', 'none'].map(
    (algorithm) => ['notify/webhook/outbound', outboundBed, { signature_algorithm: algorithm }] as const,
  ),
];

/** Each sends to the provider of its bed, which keeps the text. */
export const channels: readonly Row[] = beds.map(([connector, bed, chosen = {}]) => ({
  name: [connector.replaceAll('/', '_'), ...words(chosen)].join('_'),
  connector,
  chosen,
  start: async (name) => {
    const provider = await providerOf(bed, taking(bed));
    return {
      block: bed.written(provider.url),
      hcl: flowOf(name, bed),
      sends: async (text, place) => {
        const answer = await place.call(name, text);
        const messages = provider.sends.filter((asked) => bed.before?.(asked) === undefined);
        return messages.map(bed.textOf).find((each) => String(each).trim() === text) ?? answer;
      },
      close: () => provider.close(),
    };
  },
}));

/** Sends a message of the bed, whose text is `input.text`. */
function flowOf(name: string, { message }: ChannelBed): string {
  const fields = Object.entries(message('\0')).map(
    ([field, value]) => `${field} = ${JSON.stringify(expression(value))}`,
  );
  return `
flow "${name}_sends" {
  from {
    connector = "api"
    operation = "POST /${name}"
  }
  transform {
    ${fields.join('\n    ')}
  }
  to {
    connector = "${name}"
    operation = "send"
  }
}
`;
}

function expression(value: unknown): string {
  if (value === '\0') return 'input.text';
  if (typeof value !== 'object' || value === null) return `'${value}'`;
  return `{${Object.entries(value).map(([name, member]) => `'${name}': ${expression(member)}`)}}`;
}

function words(written: Written): readonly string[] {
  return Object.values(written).flatMap((value) =>
    typeof value === 'object' ? words(value as Written) : [String(value).replaceAll('-', '_')],
  );
}
