/** TLS certificates, in child processes because Node reads NODE_EXTRA_CA_CERTS at start. */
import { createServer } from 'node:net';
import { type Certificate, certificate } from '../../support/http/certificates';
import { useHttpChild } from '../../support/http/run-http-child';
import { ScriptedService } from '../../support/http/scripted-service';
import { TlsService } from '../../support/http/tls-service';

const HOSTS = ['localhost', '127.0.0.1', 'drive.localhost'];
const DAY = 24 * 3_600_000;

describe('certificates', () => {
  const services: TlsService[] = [];
  const ca = certificate({ name: 'private CA' });

  const serve = async (with_: Certificate): Promise<TlsService> => {
    const service = await TlsService.start(with_, (_request, response) => response.end('fine'));
    services.push(service);
    return service;
  };
  const url = ({ port }: { port: number }, host = 'localhost') => `https://${host}:${port}/?secret=CANARY`;

  const runInChild = useHttpChild(ca);
  afterEach(() => Promise.all(services.splice(0).map((service) => service.close())));

  it('a certificate of a private CA is accepted with NODE_EXTRA_CA_CERTS, also for names below localhost', async () => {
    const service = await serve(certificate({ name: 'service', hosts: HOSTS, issuer: ca }));
    const urls = [url(service), url(service, '127.0.0.1'), url(service, 'drive.localhost')];
    (await runInChild({ urls })).should.deepEqual(Array(3).fill({ status: 200, body: 'fine' }));
  });

  it('invalid certificates yield distinct permanent errors before a request is sent', async () => {
    const past = { from: new Date(Date.now() - 9 * DAY), until: new Date(Date.now() - 8 * DAY) };
    const future = { from: new Date(Date.now() + 8 * DAY), until: new Date(Date.now() + 9 * DAY) };
    const wrong: [string, Certificate][] = [
      ['expired', certificate({ name: 'old', hosts: HOSTS, issuer: ca, ...past })],
      ['expired', certificate({ name: 'not yet', hosts: HOSTS, issuer: ca, ...future })],
      ['untrusted', certificate({ name: 'on its own', hosts: HOSTS })],
      ['untrusted', certificate({ name: 'x', hosts: HOSTS, issuer: certificate({ name: 'another CA' }) })],
      ['wrong_host', certificate({ name: 'other', hosts: ['other.example.com'], issuer: ca })],
    ];
    const started = await Promise.all(wrong.map(([, each]) => serve(each)));
    const outcomes = await runInChild({ urls: started.map((each) => url(each)) });
    outcomes
      .map((each) => ('code' in each ? [each.code, each.text, each.retryable] : each))
      .should.deepEqual(wrong.map(([what]) => ['network', `network_certificate_${what}`, false]));
    JSON.stringify(outcomes).should.not.match(/CANARY/);
    started.map(({ requests }) => requests).should.matchEach(0);
  });

  describe('without NODE_EXTRA_CA_CERTS', () => {
    const runWithoutCa = useHttpChild();

    it('a certificate of a private CA is rejected without NODE_EXTRA_CA_CERTS', async () => {
      const service = await serve(certificate({ name: 'service', hosts: HOSTS, issuer: ca }));
      const [outcome] = await runWithoutCa({ urls: [url(service)] });
      (outcome as { text: string }).text.should.equal('network_certificate_untrusted');
    });
  });

  it('an https request to an http server fails with network_tls', async () => {
    const plain = await ScriptedService.start();
    try {
      const [outcome] = await runInChild({ urls: [plain.url.replace('http:', 'https:')] });
      outcome!.should.have.properties({ code: 'network', text: 'network_tls', retryable: false });
    } finally {
      await plain.close();
    }
  });

  it('a TLS handshake and a response over TLS time out', async () => {
    const silent = createServer((socket) => socket.on('error', () => undefined));
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const service = await TlsService.start(
      certificate({ name: 'service', hosts: HOSTS, issuer: ca }),
      (request, response) => {
        if (request.url === '/half') response.writeHead(200, { 'Content-Length': '10' }).write('half');
      },
    );
    services.push(service);
    const { port } = silent.address() as { port: number };
    const urls = [`https://localhost:${port}/`, url(service), `https://localhost:${service.port}/half`];
    const outcomes = await runInChild({ urls, timeout: 200, isConcurrent: true });
    silent.close();
    outcomes.map((each) => 'code' in each && [each.code, each.retryable]).should.matchEach(['timeout', true]);
  });
});
