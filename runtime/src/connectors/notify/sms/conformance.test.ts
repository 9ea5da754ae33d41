import { channelConformance } from '../testing/channel-conformance.ts';
import { snsBed } from './sns/testing/bed.ts';
import { twilioBed } from './twilio/testing/bed.ts';

channelConformance('sms, twilio', twilioBed);
channelConformance('sms, sns', snsBed);
