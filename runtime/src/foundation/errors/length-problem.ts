/** `must have at least 1 element`: what is wrong with the length of a text or a list. */
export function lengthProblem(bound: 'least' | 'most', count: number, isList: boolean): string {
  return `must have at ${bound} ${count} ${isList ? 'element' : 'character'}${count === 1 ? '' : 's'}`;
}
