import { macros } from './macros.ts';
import { basics } from './stdlib/basics.ts';
import { conversions } from './stdlib/conversions.ts';
import type { FunctionDefinition, FunctionDocumentation } from './stdlib/definition.ts';
import { encoders } from './stdlib/encoders.ts';
import { graphql } from './stdlib/graphql.ts';
import { lists } from './stdlib/lists.ts';
import { maps } from './stdlib/maps.ts';
import { matching } from './stdlib/matching.ts';
import { math } from './stdlib/math.ts';
import { optionals } from './stdlib/optionals.ts';
import { sets } from './stdlib/sets.ts';
import { system } from './stdlib/system.ts';
import { text } from './stdlib/text.ts';
import { time } from './stdlib/time.ts';

/** Every function with its signatures, documentation and work. */
export const functions: readonly FunctionDefinition[] = [
  ...basics,
  ...conversions,
  ...text,
  ...matching,
  ...time,
  ...math,
  ...lists,
  ...maps,
  ...sets,
  ...encoders,
  ...optionals,
  ...system,
  ...graphql,
];

/** Every function and macro as people read about it: completion, hover and the reference pages show these. */
export const functionDocumentation: readonly FunctionDocumentation[] = [...macros, ...functions];
