import { describe } from 'vitest';
import { eventSourceConformance } from '../../intake/testing/conformance.ts';
import { MqttBed, mqttUrl } from './testing/bed.ts';

describe.skipIf(mqttUrl === undefined)('mqtt', () => {
  eventSourceConformance('mqtt', () => MqttBed.make());
});
