import { eventSourceConformance } from '../../intake/testing/conformance.ts';
import { targetConformance } from '../../testing/target-conformance.ts';
import { EventBed, targetBed } from './testing/bed.ts';

targetConformance('graphql client', targetBed);
eventSourceConformance('graphql client', () => EventBed.make());
