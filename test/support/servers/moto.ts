import { freePort } from '../free-port.ts';
import { PythonPackage } from './brought/python-package.ts';
import { makeFolder, startProgram } from './program.ts';
import type { RunningServer, Server } from './server.ts';

const program = new PythonPackage({ name: 'moto', version: '5.2.5', extras: ['server'] });

/** Its own page of what it holds. */
async function answers(address: string): Promise<boolean> {
  try {
    return (await fetch(`${address}/moto-api/data.json`)).ok;
  } catch {
    return false;
  }
}

/** Services of AWS, in the memory of one process: S3, SES, SNS. It checks no signatures. */
export const moto: Server = {
  name: 'moto (AWS)',
  variable: 'TEST_MOTO_URL',
  usualAddress: 'http://127.0.0.1:5000',
  packages: ['python3-venv'],
  isInstalled: () => program.isInstalled,
  answers,
  start: startMoto,
};

async function startMoto(): Promise<RunningServer> {
  const python = await program.python();
  const port = await freePort();
  return startProgram({
    program: python,
    args: ['-m', 'moto.server', '-H', '127.0.0.1', '-p', String(port)],
    folder: makeFolder('moto'),
    address: `http://127.0.0.1:${port}`,
    signal: 'SIGTERM',
    answers,
  });
}
