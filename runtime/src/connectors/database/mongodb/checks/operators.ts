// Operators of MongoDB up to version 8.2, by where they may be written.

const words = (text: string): ReadonlySet<string> =>
  new Set(
    text
      .trim()
      .split(/\s+/)
      .map((word) => `$${word}`),
  );

/** Operators at the top of a filter, where a field may be too. */
export const filterJoins = words('and or nor expr text comment jsonSchema');

/** Operators on a field of a filter. */
export const conditions = words(`
  eq ne gt gte lt lte in nin exists type regex options not all elemMatch size mod
  bitsAllClear bitsAllSet bitsAnyClear bitsAnySet
  geoWithin geoIntersects near nearSphere maxDistance minDistance
`);

/** What belongs to the operand of a geographic condition or of `$text`. */
export const conditionParts = words(`
  geometry box center centerSphere polygon maxDistance minDistance search language caseSensitive diacriticSensitive
`);

/** Operators of an update. */
export const updates = words(
  'set unset setOnInsert inc mul min max rename currentDate push pull pullAll addToSet pop bit',
);

/** What belongs to `$push` and `$addToSet`. */
export const pushParts = words('each position slice sort');

/** Stages of a pipeline. */
export const stages = words(`
  addFields bucket bucketAuto changeStream changeStreamSplitLargeEvent collStats count currentOp densify documents facet
  fill geoNear graphLookup group indexStats limit listLocalSessions listSampledQueries listSearchIndexes listSessions
  lookup match merge out planCacheStats project querySettings rankFusion redact replaceRoot replaceWith sample
  scoreFusion search searchMeta set setWindowFields shardedDataDistribution skip sort sortByCount unionWith unset
  unwind vectorSearch
`);

/** Operators of expressions, accumulators and window functions among them. */
export const expressions = words(`
  abs accumulator acos acosh add addToSet allElementsTrue and anyElementTrue arrayElemAt arrayToObject asin asinh atan
  atan2 atanh avg binarySize bitAnd bitNot bitOr bitXor bottom bottomN bsonSize ceil cmp concat concatArrays cond
  convert cos cosh count covariancePop covarianceSamp createObjectId dateAdd dateDiff dateFromParts dateFromString
  dateSubtract dateToParts dateToString dateTrunc dayOfMonth dayOfWeek dayOfYear degreesToRadians denseRank derivative
  deserializeEJSON divide documentNumber encStrContains encStrEndsWith encStrNormalizedEq encStrStartsWith eq exp
  expMovingAvg filter first firstN floor function getField gt gte hash hexHash hour ifNull in indexOfArray indexOfBytes
  indexOfCP integral isArray isNumber isoDayOfWeek isoWeek isoWeekYear last lastN let linearFill literal ln locf log
  log10 lt lte ltrim map max maxN median mergeObjects meta millisecond min minMaxScaler minN minute mod month multiply
  ne not objectToArray or percentile pow push radiansToDegrees rand range rank reduce regexFind regexFindAll regexMatch
  replaceAll replaceOne reverseArray round rtrim sampleRate second serializeEJSON setDifference setEquals setField
  setIntersection setIsSubset setUnion shift sigmoid sin sinh size slice sortArray split sqrt stdDevPop stdDevSamp
  strcasecmp strLenBytes strLenCP substr substrBytes substrCP subtract sum subtype switch tan tanh toArray toBool toDate
  toDecimal toDouble toHashedIndexKey toInt toLong toLower toObject toObjectId toString toUpper toUUID top topN trim
  trunc tsIncrement tsSecond type unsetField week year zip
`);
