import type { HttpExchange } from '../../foundation/contracts/http.ts';
import { Failure } from '../../foundation/errors/failure.ts';
import { longestName, mostRooms } from '../../platform/http/live/rooms.ts';

/** The rooms that a request names, in its path or by `room` and `rooms` of its query, each once. Throws a Failure. */
export function roomsOf(params: HttpExchange['params'], { room, rooms }: HttpExchange['query']): readonly string[] {
  const written = [params['room'], room, ...[rooms].flat().map((names) => names?.split(','))].flat();
  const names = new Set(written.filter((name) => name !== undefined && name !== '') as string[]);
  if (names.size > mostRooms) throw new Failure('value_refused', `a client may be in ${mostRooms} rooms`);
  if ([...names].some(({ length }) => length > longestName))
    throw new Failure('value_refused', `the name of a room has at most ${longestName} characters`);
  return [...names];
}
