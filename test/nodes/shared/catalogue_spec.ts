/** Texts without a catalogue of Node-RED, and texts that a later version may add. */
import type { NodeAPI } from 'node-red';
import should from 'should';
import { catalogueText, pageText, warningText } from '../../../nodes/shared/runtime/catalogue';

/** Node-RED returns the key of a text that it doesn't have. */
const RED = { _: (key: string) => key } as unknown as NodeAPI;

describe('texts of the catalogue', () => {
  it('a text that no catalogue has is shown by its key', () => {
    should(warningText(RED, 'no_such_warning', {})).equal('no_such_warning');
    should(pageText(RED, 'no_such_text')).equal('no_such_text');
    should(catalogueText(RED, 'errors', 'no_such_error', {})).be.undefined();
  });

  it('the English text is used without a catalogue, and an unknown parameter stays visible', () => {
    should(pageText(RED, 'language')).startWith('en');
    const known = warningText(RED, 'state_not_read', { file: '/a', reason: 'EACCES' });
    should(known)
      .match(/\/a.*EACCES/)
      .and.not.match(/__/);
    should(warningText(RED, 'state_not_read', { file: '/a' })).match(/\/a.*__reason__/);
  });

  it('a text that Node-RED translates is used as it is', () => {
    const german = { _: (key: string) => `übersetzt ${key.length}` } as unknown as NodeAPI;
    should(warningText(german, 'state_not_read', {})).match(/^übersetzt \d+$/);
  });
});
