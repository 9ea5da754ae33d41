import { channelConformance } from '../testing/channel-conformance.ts';
import { sendgridBed, sesBed, smtpBed } from './testing/beds.ts';

channelConformance('email, smtp', smtpBed);
channelConformance('email, sendgrid', sendgridBed);
channelConformance('email, ses', sesBed);
