import { channelConformance } from '../testing/channel-conformance.ts';
import { apnsBed } from './apns/testing/bed.ts';
import { fcmBed } from './fcm/testing/bed.ts';

channelConformance('push, fcm', fcmBed);
channelConformance('push, apns', apnsBed);
