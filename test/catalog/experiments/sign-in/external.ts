import type { Proof } from '../../proof.ts';
import type { Shown } from '../flows.ts';

const folder = 'runtime/src/engine/auth/external';
const asked = (title: string): Proof => [`${folder}/external.test.ts`, title];
const whole = asked('is who the provider says, with the whole body as claims');

/** What is written of external providers. */
export const external: Shown = {
  'provider.type': [`${folder}/rules.test.ts`, 'another type'],
  'provider.validate': asked('encoded in %s'),
  'provider.request': asked('as it is in headers, patterns of replacements too'),
  'provider.sync_to': [`${folder}/rules.test.ts`, 'sync_to'],
  'provider.response.success': asked('`%s` of %j is accepted: %s'),
  'provider.response.user_id': asked('has a user id from %s, or is no one'),
  'provider.response.email': whole,
  'provider.response.roles': asked('has roles from %s'),
  'provider.response.token': whole,
};
