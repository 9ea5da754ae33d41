import type { Expression, TemplatePart } from './tree.ts';

/** The expressions directly inside an expression, in the order of the text. Those inside templates are included. */
export function childrenOf(node: Expression): readonly Expression[] {
  switch (node.kind) {
    case 'number':
    case 'boolean':
    case 'null':
    case 'variable':
    case 'invalid':
      return [];
    case 'template':
      return node.parts.flatMap(expressionsOf);
    case 'list':
      return node.items;
    case 'object':
      return node.entries.flatMap(({ key, value }) => [key, value]);
    case 'attribute-access':
      return [node.target];
    case 'index':
      return [node.target, node.key];
    case 'splat':
      return [node.target, ...node.each.filter((step): step is Expression => 'kind' in step && step.kind !== 'star')];
    case 'call':
      return node.arguments;
    case 'conditional':
      return [node.condition, node.then, node.otherwise];
    case 'binary':
      return [node.left, node.right];
    case 'unary':
      return [node.operand];
    case 'parenthesized':
      return [node.expression];
    case 'for':
      return [node.collection, node.key, node.value, node.condition].filter((child) => child !== undefined);
  }
}

function expressionsOf(part: TemplatePart): readonly Expression[] {
  switch (part.kind) {
    case 'text':
      return [];
    case 'interpolation':
      return [part.expression];
    case 'conditional-directive':
      return [part.condition, ...part.then.flatMap(expressionsOf), ...part.otherwise.flatMap(expressionsOf)];
    case 'for-directive':
      return [part.collection, ...part.body.flatMap(expressionsOf)];
  }
}
