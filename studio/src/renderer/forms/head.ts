import type { Form, StageFamily } from '@svc/protocol/language';
import type { IconName } from '../theme/icon.tsx';

/** What is shown above a form besides its title. */
export interface FormHead {
  readonly name: IconName;
  readonly className: string;
  /** The file of the connector's own icon. */
  readonly icon?: string | undefined;
  readonly sub: string;
  readonly family?: { readonly name: StageFamily; readonly title: string } | undefined;
}

/** What is known of a block elsewhere; undefined where nothing is. */
export type HeadOf = (form: Form) => FormHead | undefined;
