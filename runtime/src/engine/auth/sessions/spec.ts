import { block, flag, int, lifetime, list, oneOf } from '@svc/protocol/schema';

export const sessions = block({
  doc: 'Sessions: one begins with each sign-in, and its tokens end with it. What is not written has the value of the preset.',
  attributes: {
    max_active: int('Sessions that one person may have.', { min: 1 }),
    idle_timeout: lifetime('Ends a session that was not used for this long.', { min: 1_000 }),
    absolute_timeout: lifetime('Ends a session this long after it began.', { min: 1_000 }),
    extend_on_activity: flag('false ends a session one `idle_timeout` after it began, whatever is done with it.'),
    allow_list: flag('false: the sessions of a person are not listed.'),
    allow_revoke: flag('false: a person cannot end a single session.'),
    track: list('What a session keeps of its client. None: both.', oneOf('Property.', ['ip', 'user_agent'])),
    on_max_reached: oneOf('What happens at a sign-in beyond `max_active`.', ['revoke_oldest', 'reject_new'], {
      synonyms: { deny: 'reject_new' },
    }),
  },
  example: 'sessions {\n  max_active   = 3\n  idle_timeout = "30m"\n}',
});
