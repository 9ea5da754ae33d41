import { functions, plugin, sanitizers, validatorModules } from '../module-proofs.ts';
import { aspects } from './aspects.ts';
import { failures, gates, type Shown } from './flows.ts';
import { graphqlServer } from './graphql.ts';
import { keeping } from './keeping.ts';
import { everyProfile, profiles } from './profiles.ts';
import { restServer } from './rest.ts';
import { sagas } from './sagas.ts';
import { settings } from './service.ts';
import { signIn } from './sign-in/index.ts';
import { soapServer } from './soap.ts';
import { memoryCache, sqlite } from './stores.ts';
import { sharedState } from './synchronisation.ts';
import { mocks, tests } from './tests.ts';
import { constraints, security, types, validators } from './types.ts';
import { machines, transitions, work } from './work.ts';

/** What shows each attribute of the root blocks, by their words. */
export const shown: Readonly<Record<string, Shown>> = {
  service: settings,
  auth: signIn,
  flow: { ...gates, ...failures, ...keeping, ...work, ...transitions, ...sharedState },
  aspect: aspects,
  saga: sagas,
  security: { ...security, ...sanitizers },
  functions,
  plugin,
  type: types,
  validator: { ...validators, ...validatorModules },
  state_machine: machines,
  mocks,
  test: tests,
  'a field of a type': constraints,
  'a connector with profiles': profiles,
  profile: everyProfile,
};

/** What shows attributes of connectors, by the titles of these; the others are shown by tests of each connector. */
export const shownOfConnectors: Readonly<Record<string, Shown>> = {
  'rest server': restServer,
  'graphql server': graphqlServer,
  'soap server': soapServer,
  'cache memory': memoryCache,
  'database sqlite': sqlite,
};
