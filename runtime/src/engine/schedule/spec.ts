import { block, oneOf, reference, text } from '@svc/protocol/schema';

/** What happens to a tick that occurs while the previous run has not ended. */
export const overlaps = ['skip', 'queue', 'allow'] as const;

export const when = block({
  doc: 'Runs the flow at times of a schedule, with an empty `input`. A flow may have both `from` and `when`.',
  shorthand: 'schedule',
  attributes: {
    schedule: text(
      'When the flow runs: five fields of cron (minute, hour, day of month, month, day of week), six with seconds first, `@hourly`, `@daily`, `@weekly`, `@monthly`, `@yearly` or `@every <duration>`. In the field for days `L` is the last of a month and `15W` the working day nearest to the 15th, in that for days of the week `FRI#2` is the second Friday of a month and `FRI#L` the last. `always` or nothing: it is not scheduled.',
      { example: '"30 2 * * *"' },
    ),
    timezone: text(
      'Time zone of the schedule. Default: that of a `CRON_TZ=` in front of it, else that of the process.',
      { example: '"Europe/Madrid"' },
    ),
    storage: reference(
      'Relational database, or cache that processes share, in which each tick is claimed, so that exactly one process runs it. Without it every process runs every tick.',
      'connector',
    ),
    overlap: oneOf(
      'What happens to a tick while this process still runs the one before: `skip` leaves it out, `queue` runs it afterwards, `allow` runs it concurrently.',
      overlaps,
      { default: 'skip' },
    ),
  },
  example: 'when {\n  schedule = "30 2 * * *"\n  timezone = "Europe/Madrid"\n  storage  = "db"\n}',
});
