import type { Suites } from '../suites.ts';

/** Everything that asks for a broker of MQTT. */
export const mqttSuites: Suites = {
  variable: 'TEST_MQTT_URL',
  paths: { runtime: ['src/connectors/mqtt'] },
};
