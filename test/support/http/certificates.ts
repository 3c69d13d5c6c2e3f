/** Creates X.509 certificates (RFC 5280) for TLS on this machine. */
import { createPublicKey, generateKeyPairSync, randomBytes, sign } from 'node:crypto';

export interface Certificate {
  name: string;
  /** PEM. */
  cert: string;
  key: string;
}

export interface CertificateOptions {
  name: string;
  /** Host names and IPv4 addresses; empty for a CA. */
  hosts?: readonly string[];
  /** Absent for a self-signed certificate. */
  issuer?: Certificate;
  from?: Date;
  until?: Date;
}

const DAY = 24 * 3_600_000;

export function certificate({ name, hosts = [], issuer, ...times }: CertificateOptions): Certificate {
  const { from = new Date(Date.now() - DAY), until = new Date(Date.now() + DAY) } = times;
  const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const key = pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const body = sequence(
    der(0xa0, integer(Buffer.from([2]))),
    integer(Buffer.concat([Buffer.from([1]), randomBytes(15)])),
    ECDSA_SHA256,
    nameOf(issuer?.name ?? name),
    sequence(time(from), time(until)),
    nameOf(name),
    createPublicKey(key).export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(hosts.length > 0 ? alternativeNames(hosts) : IS_CA)),
  );
  const signature = sign('sha256', body, issuer?.key ?? key);
  const whole = sequence(body, ECDSA_SHA256, der(0x03, Buffer.from([0]), signature));
  const lines = whole.toString('base64').replace(/.{64}(?=.)/g, '$&\n');
  return { name, key, cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n` };
}

function der(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

const sequence = (...parts: Buffer[]): Buffer => der(0x30, ...parts);
const integer = (value: Buffer): Buffer => der(0x02, value);
const octets = (value: Buffer): Buffer => der(0x04, value);
const oid = (hex: string): Buffer => der(0x06, Buffer.from(hex, 'hex'));
const YES = der(0x01, Buffer.from([0xff]));

/** 1.2.840.10045.4.3.2 */
const ECDSA_SHA256 = sequence(oid('2a8648ce3d040302'));
/** basicConstraints: 2.5.29.19 */
const IS_CA = sequence(oid('551d13'), YES, octets(sequence(YES)));

/** commonName: 2.5.4.3 */
function nameOf(name: string): Buffer {
  return sequence(der(0x31, sequence(oid('550403'), der(0x0c, Buffer.from(name)))));
}

function time(date: Date): Buffer {
  const digits = date.toISOString().replace(/[-:T]/g, '').slice(2, 14);
  return der(0x17, Buffer.from(`${digits}Z`));
}

/** subjectAltName: 2.5.29.17 */
function alternativeNames(hosts: readonly string[]): Buffer {
  const names = hosts.map((host) =>
    /^[\d.]+$/.test(host)
      ? der(0x87, Buffer.from(host.split('.').map(Number)))
      : der(0x82, Buffer.from(host)),
  );
  return sequence(oid('551d11'), octets(sequence(...names)));
}
