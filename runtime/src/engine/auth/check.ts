import type { Project, Report } from '@svc/protocol/model';
import type { AuthSettings, WrittenAuth } from './settings.ts';

/** Finds what the rules of data cannot say about a part of the root block `auth`. */
export type AuthCheck = (written: WrittenAuth, settings: AuthSettings, report: Report, project: Project) => void;
