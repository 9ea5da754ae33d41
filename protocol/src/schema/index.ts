export {
  type AttributeKind,
  type AttributeOptions,
  type AttributeSpec,
  argument,
  cel,
  duration,
  expression,
  type FieldGrammar,
  flag,
  float,
  int,
  lifetime,
  list,
  longestLifetime,
  longestWait,
  map,
  marked,
  oneOf,
  type Present,
  reference,
  size,
  template,
  text,
  value,
} from './attribute.ts';
export { type BlockLabel, type BlockSpec, type BodyRule, block, writtenName } from './block.ts';
export {
  type CallProblem,
  type ChannelsSpec,
  type ConnectorKind,
  type ConnectorSpec,
  type ConnectorValues,
  connector,
  isAnswered,
  isPulled,
  isRedelivered,
  type OperationNeed,
  operationNeed,
  processNamedBy,
  rememberedBy,
  runsInOneWorker,
  type SourceSpec,
  type TargetSpec,
  type WrittenCall,
} from './connector.ts';
export type { ConnectorAdvice } from './connector-advice.ts';
export { addedWords, type DependentWords, isShared, ofPlace, takesWord, withAnyWords, withWords } from './dependent.ts';
export {
  defaultText,
  describeAttribute,
  describeBlock,
  describeConnector,
  durationText,
  kindText,
} from './describe.ts';
export {
  type BodyOrigin,
  type EvaluatedWord,
  isWritten,
  origin,
  originOf,
  type Values,
  type WrittenWords,
  writtenIn,
} from './infer.ts';
export type { OperationParameters } from './operation-parameters.ts';
export type { ServerPlace, SpokenForm } from './server.ts';
export type { SoleMember } from './sole-member.ts';
export type { ArgumentSource, CelSource, ExpressionSource, Origin, TemplateSource } from './sources.ts';
export { type ConnectorChoice, chooseConnector, driverWordOf, type Vocabulary } from './vocabulary.ts';
