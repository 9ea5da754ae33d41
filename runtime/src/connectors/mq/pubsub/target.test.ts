import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { until } from '../../../../../test/support/until.ts';
import type { CallDescription, CallRequest } from '../../../foundation/contracts/target.ts';
import { describeCall } from '../../database/testing/parts.ts';
import type { TargetConnector } from '../../testing/target-conformance.ts';
import { ChannelBed, redisUrl } from './testing/bed.ts';

describe.skipIf(redisUrl === undefined)('publishing to channels of Redis', () => {
  let bed: ChannelBed;
  beforeEach(async () => {
    bed = await ChannelBed.make();
    await bed.outsider.listen(`${bed.channel}*`);
  });
  afterEach(() => bed.close());

  const publish = async (connector: TargetConnector, request: CallRequest, call: Partial<CallDescription> = {}) =>
    connector.target.prepare(describeCall('create', { operation: 'PUBLISH', ...call }))(request);

  test('a payload is published as JSON, to the channel of the flow, of the message or of params', async () => {
    const { connector } = await bed.open();
    const [first, second, third] = ['a', 'b', 'c'].map((suffix) => `${bed.channel}.${suffix}`) as [
      string,
      string,
      string,
    ];
    const answers = [
      await publish(connector, { payload: { n: 1, big: 12345678901234567890n } }, { target: first }),
      await publish(connector, { payload: { n: 2 }, target: second }),
      await publish(connector, { payload: {}, params: { channel: third } }, { verb: 'call' }),
    ];
    const message_id = expect.stringMatching(/^[0-9a-f-]{36}$/);
    expect(answers).toEqual(
      [first, second, third].map((channel) => ({ affected: 1, value: { message_id, channel, receivers: 1 } })),
    );
    await until(() => bed.outsider.heard.length === 3);
    expect(bed.outsider.heard).toEqual([
      [first, '{"n":1,"big":"12345678901234567890"}'],
      [second, '{"n":2}'],
      [third, '{}'],
    ]);
  });

  test('a channel without subscribers is not a failure', async () => {
    const { connector } = await bed.open();
    const { value } = await publish(connector, { payload: {}, target: 'svc-test-unheard' });
    expect(value).toMatchObject({ receivers: 0 });
  });

  test.each([
    ['no channel', { payload: {} }, 'filter_missing'],
    ['an empty channel', { payload: {}, params: { channel: '' } }, 'filter_missing'],
    ['a channel that is a number', { payload: {}, params: { channel: 7 } }, 'filter_missing'],
    ['a channel that is too long', { payload: {}, target: 'x'.repeat(2000) }, 'parameters_invalid'],
    ['nothing to publish', { target: 'x' }, 'nothing_to_write'],
  ])('%s is refused', async (_, request, code) => {
    const { connector } = await bed.open();
    await expect(publish(connector, request)).rejects.toMatchObject({ code });
  });

  test('A-10: what was sent and not answered may have been published, and says so; what was not sent does not', async () => {
    const { connector } = await bed.open();
    bed.proxy.fault = 'blackhole';
    await expect(publish(connector, { payload: {}, target: bed.channel })).rejects.toMatchObject({
      code: 'outcome_unknown',
    });
    bed.proxy.fault = 'refuse';
    bed.cut();
    await until(() =>
      publish(connector, { payload: {}, target: bed.channel }).then(
        () => false,
        ({ code }) => code === 'connector_refused',
      ),
    );
  });

  test('a service that takes and publishes hears itself', async () => {
    const { connector, taken } = await bed.open({}, { flows: { '': () => undefined } });
    await publish(connector, { payload: { n: 1 }, target: bed.channel });
    await until(() => taken.length === 1);
    expect(taken[0]?.[1]).toEqual({ n: 1, _channel: bed.channel });
  });

  test('a connector that only publishes holds one connection', async () => {
    const { connector } = await bed.open({ channels: [] });
    await publish(connector, { payload: {}, target: bed.channel });
    expect(bed.proxy.connections).toBe(1);
  });
});
