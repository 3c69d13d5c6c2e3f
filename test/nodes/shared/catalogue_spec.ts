/** Texts without a catalogue of Node-RED, and texts that a later version may add. */
import type { NodeAPI } from 'node-red';
import should from 'should';
import {
  catalogueLanguage,
  catalogueText,
  pageText,
  warningText,
} from '../../../nodes/shared/runtime/catalogue';
import { toFailure } from '../../../nodes/shared/runtime/error-message';
import { DriveError, LocalTime, actualSize, maximumSize } from '../../../src/errors';

/** Node-RED returns the key of a text that it doesn't have. */
const RED = { _: (key: string) => key } as unknown as NodeAPI;

describe('texts of the catalogue', () => {
  it('a text that no catalogue has is shown by its key', () => {
    should(warningText(RED, 'no_such_warning' as never, {} as never)).equal('no_such_warning');
    should(pageText(RED, 'no_such_text' as never)).equal('no_such_text');
    should(catalogueText(RED, 'errors', 'no_such_error' as never, {})).be.undefined();
  });

  it('the English text is used without a catalogue, and an unknown parameter stays visible', () => {
    catalogueLanguage(RED).should.equal('en-US');
    const known = warningText(RED, 'state_not_read', { file: '/a', reason: 'EACCES' });
    should(known)
      .match(/\/a.*EACCES/)
      .and.not.match(/__/);
    should(warningText(RED, 'state_not_read', { file: '/a' } as never)).match(/\/a.*__reason__/);
  });

  it('a very long value is shortened in the middle, in English and translated texts', () => {
    const [path, short] = [`/start${'😀'.repeat(45_000)}/end`, `/${'a'.repeat(999)}`];
    const german = { _: (key: string) => (key.endsWith(':language') ? 'de' : key) } as unknown as NodeAPI;
    const translated = catalogueText(german, 'errors', 'local_file_missing', { path }) ?? '';
    const english = catalogueText(RED, 'errors', 'local_file_missing', { path }) ?? '';
    for (const text of [translated, english])
      text.should
        .match(/\/start(😀)+…(😀)+\/end/u)
        .and.property('length')
        .be.below(1_300);
    should(catalogueText(german, 'errors', 'local_file_missing', { path: short })).containEql(short);
  });

  it('errors and warnings are in the language of the catalogue that Node-RED uses', () => {
    const german = { _: (key: string) => (key.endsWith(':language') ? 'de' : key) } as unknown as NodeAPI;
    should(warningText(german, 'state_not_read', { file: '/a', reason: '__file__' })).match(
      /kann nicht gelesen werden \(__file__\)/,
    );
  });

  it('an error still has a text if the files of the package are missing, as while it is being updated', () => {
    const replaced = { _: (key: string) => (key.endsWith(':language') ? 'xx' : key) } as unknown as NodeAPI;
    toFailure(replaced, new DriveError('cancelled')).message.should.match(/cancelled/i);
  });

  it('numbers, sizes and times in errors are written as in the language', () => {
    const french = { _: (key: string) => (key.endsWith(':language') ? 'fr' : key) } as unknown as NodeAPI;
    const sizes = { size: actualSize(1.6 * 1_024 ** 2), limit: maximumSize(1_024 ** 2) };
    should(catalogueText(french, 'errors', 'too_large', sizes)).match(/1,6\sMio.*1\sMio/);
    const ages = { name: 'a.tar', age: 26.51, limit: 26 };
    should(catalogueText(french, 'errors', 'outdated', ages)).match(/26,51 h.* 26 h/);
    const params = { localTime: new LocalTime(Date.parse('2035-05-18T10:00:30Z')), serviceTime: '' };
    should(catalogueText(french, 'errors', 'partial_failure_clock_prune', params)).containEql(
      String(params.localTime),
    );
  });

  it('a label that Node-RED translates is used as it is', () => {
    const german = { _: (key: string) => `übersetzt ${key.length}` } as unknown as NodeAPI;
    should(catalogueText(german, 'form', 'name', {})).match(/^übersetzt \d+$/);
  });
});
