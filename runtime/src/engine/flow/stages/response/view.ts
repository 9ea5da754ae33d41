/** `output` of a response: an object as it is, a list as `items`, with the columns of a single row beside it. */
export function viewOf(answer: unknown): unknown {
  if (!Array.isArray(answer)) return answer;
  const [only] = answer;
  const isRow = answer.length === 1 && typeof only === 'object' && only !== null && !Array.isArray(only);
  if (!isRow) return { items: answer };
  return Object.hasOwn(only, 'items') ? { ...only, items: answer } : { items: answer, ...only };
}
