/** Which URLs of a Node-RED can be redirected to. */
import should from 'should';
import { isRedirectAllowed } from '../../../../nodes/account/panel/redirect-check';

const CASES: [url: string, google: boolean, custom: boolean][] = [
  ['http://localhost:1880/callback', true, true],
  ['http://127.0.0.1:1880/callback', true, true],
  ['https://[::1]:1880/callback', true, true],
  ['https://red.example.com/callback', true, true],
  ['http://red.example.com/callback', false, false],
  ['http://192.168.1.20:1880/callback', false, false],
  ['https://192.168.1.20:1880/callback', false, true],
  ['https://[fd00::1]:1880/callback', false, true],
  ['https://homeassistant.local:8123/callback', false, true],
  ['https://red.home.arpa/callback', false, true],
  ['https://raspberrypi/callback', false, true],
  ['https://home.example.com/api/hassio_ingress/token/callback', false, false],
  ['http://localhost:8123/api/hassio_ingress/token/callback', false, false],
];

describe('redirects to Node-RED', () => {
  for (const [url, google, custom] of CASES) {
    it(`${url} is ${google ? 'allowed' : 'not allowed'} by Google and ${custom ? 'allowed' : 'not allowed'} by other services`, () => {
      should(isRedirectAllowed(url, 'google')).equal(google);
      should(isRedirectAllowed(url, 'custom')).equal(custom);
    });
  }
});
