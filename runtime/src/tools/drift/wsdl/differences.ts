import type { Origin } from '@svc/protocol/schema';
import type { XmlElement } from '../../../platform/formats/wsdl/elements.ts';
import type { DifferenceCode } from '../difference.ts';

/** How descriptions of a SOAP service differ. */
export interface WsdlDifference {
  readonly code: DifferenceCode;
  /** Whether a caller who keeps to the contract notices it. */
  readonly isBreaking: boolean;
  readonly message: string;
  /** The message without what it is about: equal where types that several operations use are compared again. */
  readonly says?: string;
  /** Undefined for what the contract does not have. */
  readonly contract: XmlElement | undefined;
  /** In the configuration; undefined: the connector. */
  readonly own: Origin | undefined;
}

/** Adds a difference. */
export type DifferWsdl = (difference: WsdlDifference) => void;
