// What a good engineer writes with a framework: the body as text, its fields, an envelope.
import fastify from 'fastify';
import { answerTo } from '../order.ts';

const app = fastify({ bodyLimit: 1_048_576 });
app.addContentTypeParser('text/xml', { parseAs: 'string' }, (_request, body, done) => done(null, body));
app.get('/wsdl', async () => '');
app.post('/', async ({ body }, reply) => reply.type('text/xml; charset=utf-8').send(answerTo(body as string)));
await app.listen({ host: '127.0.0.1', port: Number(process.env['PORT']) });
process.on('SIGTERM', () => process.exit());
