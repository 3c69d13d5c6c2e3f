/**
 * The local drive in place of Google: at Google's URLs, over TLS, behind a proxy that connects every host name to it. An
 * account with the unmodified preset works as with Google.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type IncomingMessage, type ServerResponse, request as send } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { json } from 'node:stream/consumers';
import { GOOGLE_PRESET } from '../../../nodes/account/settings/urls';
import { type LocalDrive, startLocalDrive } from '../../local-drive';
import type { OAuthClient } from '../../local-drive/oauth/clients';
import { CLIENT } from './account';
import { certificate } from '../http/certificates';
import { LocalProxy } from '../http/local-proxy';
import { TlsService } from '../http/tls-service';

const HOSTS = [new URL(GOOGLE_PRESET.baseUrl).hostname, new URL(GOOGLE_PRESET.tokenUrl).hostname];

export interface FakeGoogle {
  drive: LocalDrive;
  /** Environment variables for Node-RED. */
  env: Record<string, string>;
  /** The client secret JSON of a client of the type "TVs and Limited Input devices". */
  clientJson: string;
  close(): Promise<void>;
}

interface FakeGoogleOptions {
  client?: OAuthClient;
  /** In device responses, instead of the local drive's page. */
  verificationUrl?: string;
}

export async function startFakeGoogle(options: FakeGoogleOptions = {}): Promise<FakeGoogle> {
  const { client = CLIENT, verificationUrl } = options;
  const folder = await mkdtemp(path.join(tmpdir(), 'google-'));
  const drive = await startLocalDrive({ clients: [{ ...client }], interval: 1 });
  const issuer = certificate({ name: 'CA of the test' });
  await writeFile(path.join(folder, 'ca.pem'), issuer.cert);
  const tls = await TlsService.start(
    certificate({ name: 'Google', hosts: HOSTS, issuer }),
    (request, response) => {
      const { url, method, headers } = request;
      const onward = send(new URL(url ?? '', drive.url), { method, headers }, (answer) => {
        if (verificationUrl !== undefined && url === '/device/code') {
          void sendDeviceResponse(answer, response, verificationUrl);
          return;
        }
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      });
      request.pipe(onward);
    },
  );
  const proxy = await LocalProxy.start();
  proxy.tunnelPort = tls.port;
  return {
    drive,
    env: { HTTPS_PROXY: proxy.url, NODE_EXTRA_CA_CERTS: path.join(folder, 'ca.pem') },
    clientJson: clientSecretJson(client),
    async close() {
      await proxy.close();
      await tls.close();
      await drive.close();
      await rm(folder, { recursive: true });
    },
  };
}

async function sendDeviceResponse(answer: IncomingMessage, response: ServerResponse, url: string) {
  const body = (await json(answer)) as object;
  response.writeHead(answer.statusCode ?? 502, { 'Content-Type': 'application/json' });
  response.end(JSON.stringify({ ...body, verification_url: url }));
}

function clientSecretJson({ id, secret }: OAuthClient): string {
  const installed = {
    client_id: id,
    project_id: 'backups-479012',
    auth_uri: 'https://accounts.google.com/o/oauth2/auth',
    token_uri: GOOGLE_PRESET.tokenUrl,
    auth_provider_x509_cert_url: 'https://www.googleapis.com/oauth2/v1/certs',
    client_secret: secret,
  };
  return JSON.stringify({ installed });
}
