import { describe } from 'vitest';
import { eventSourceConformance } from '../intake/testing/conformance.ts';
import { targetConformance } from '../testing/target-conformance.ts';
import { MqttBed, mqttUrl } from './testing/bed.ts';
import { targetBed } from './testing/target-bed.ts';

describe.skipIf(mqttUrl === undefined)('mqtt', () => {
  eventSourceConformance('mqtt', () => MqttBed.make());
  eventSourceConformance('mqtt 5, quality of service 2', () => MqttBed.make({ qos: 2, protocol_version: '5' }));
  targetConformance('mqtt', () => targetBed());
  targetConformance('mqtt 5, quality of service 2', () => targetBed({ qos: 2, protocol_version: '5' }));
});
