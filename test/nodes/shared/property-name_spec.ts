/** Errors name a node's properties by the labels of its dialog. */
import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { NodeAPI } from 'node-red';
import should from 'should';
import { errorText, propertyName } from '../../../nodes/shared/runtime/error-message';
import { driveError } from '../../support/client/drive-error';
import { LANGUAGES, SOURCE_LANGUAGE, textsOf } from '../../support/languages';
import { ROOT } from '../../support/node-red/built-package';

/** `RED._` with the catalogues of a language; like i18next, it returns the key if there is no text. */
function red(language: string): NodeAPI {
  const translate = (key: string): string => {
    const [, node = '', text = ''] = /cloud-drive-([\w-]+):(.+)$/.exec(key) ?? [];
    return textsOf(node, language).get(text) ?? text;
  };
  return { _: translate } as unknown as NodeAPI;
}

const NODES = readdirSync(path.join(ROOT, 'nodes')).filter((name) => !['shared', 'account'].includes(name));
const type = 'cloud-drive-upload';
const load = createRequire(__filename);

describe('names of properties in errors', () => {
  for (const node of NODES) {
    it(`each property of ${node} has a label for errors`, () => {
      const { DEFAULTS } = load(path.join(ROOT, `nodes/${node}/${node}.defaults`)) as {
        DEFAULTS: object;
      };
      const properties = Object.keys(DEFAULTS).filter((name) => !/(?:Type|Path|^outputs)$/.test(name));
      for (const property of [...properties, ...('localPath' in DEFAULTS ? ['localPath'] : [])])
        should(
          propertyName(red(SOURCE_LANGUAGE), { type: `cloud-drive-${node}`, config: {} }, property),
        ).match(/^“[^”]+”$/, property);
    });
  }

  for (const [property, config, expected] of [
    ['which', { from: 'archives', which: 'number' }, '“Archive”'],
    ['which', { from: 'snapshots', which: 'id' }, '“Snapshot”'],
    ['select', { from: 'snapshots', which: 'id' }, '“ID”'],
    ['select', { from: 'archives', which: 'date' }, '“Date”'],
    ['select', { which: 'newest', selectType: 'msg', select: 'a' }, '“Number, date, file or ID” (msg.a)'],
  ] as const) {
    it(`${property} is called ${expected} where the dialog does: ${JSON.stringify(config)}`, () => {
      const node = { type: 'cloud-drive-restore', config };
      should(propertyName(red(SOURCE_LANGUAGE), node, property)).equal(expected);
    });
  }

  for (const [config, params, expected] of [
    [{ targetName: 'name', targetNameType: 'msg' }, {}, '“Save as” (msg.name)'],
    [{ targetName: 'a', targetNameType: 'str' }, {}, '“Save as”'],
    [{ targetName: 'A', targetNameType: 'env' }, { source: 'env' }, '“Save as”'],
    [{ targetName: 'a', targetNameType: 'msg' }, { source: 'msg.a[1]' }, '“Save as” (msg.a[1])'],
  ] as const) {
    it(`an error about a ${config.targetNameType} value begins with ${expected}`, () => {
      const error = driveError('invalid_input', {
        text: 'invalid_input_text',
        params: { property: 'targetName', came: 'x', ...params },
      });
      errorText(red(SOURCE_LANGUAGE), error, { type, config }).should.startWith(`${expected} must be`);
    });
  }

  it('a rejected setting has the label of the node, although most errors about responses are about the account', () => {
    const params = { property: 'orderBy', reason: 'invalid', came: "'x y'" };
    const error = driveError('bad_response', { text: 'bad_response_setting', params });
    const node = { type: 'cloud-drive-list-folders', config: {} };
    errorText(red(SOURCE_LANGUAGE), error, node).should.containEql(
      "rejected “Order (API)” (invalid): 'x y'.",
    );
  });

  for (const language of LANGUAGES) {
    it(`an error in ${language} names the label of the dialog and the property of the message`, () => {
      const error = driveError('invalid_input', {
        text: 'invalid_input_file_empty',
        params: { property: 'file', source: 'msg.payload' },
      });
      const label = textsOf('account', language).get('row.file')!;
      const text = errorText(red(language), error, { type, config: {} });
      text.should.match(new RegExp(`[“„«「]\\s?${label}\\s?[”“»」]\\s?[(（]msg\\.payload[)）]`));
      text.should.not.match(/__|[(（][)）]/);
    });
  }

  it('an error about an environment variable of a node names the label of the node, not of the account', () => {
    const params = { property: 'timeZone', name: 'ZONE' };
    const error = driveError('not_configured', { text: 'not_configured_node_env', params });
    const node = { type: 'cloud-drive-prune', config: {} };
    errorText(red(SOURCE_LANGUAGE), error, node).should.containEql('“Time zone” uses it');
  });
});
