/** Names of part files: docs/how-it-works.md, "Transfers that break". */
import fc from 'fast-check';
import should from 'should';
import { newPartName, parsePartName, targetInPartName } from '../../../src/fs/reserved-names';
import { currentOwner } from '../../../src/fs/part-owner';
import { safeName } from '../../../src/fs/safe-name';
import { partKey } from '../../../src/transfer/download/download-file';
import { checkProperty } from '../../support/property';

describe('part names', () => {
  const file = { id: 'F', md5Checksum: 'a', sha256Checksum: 'b' };
  const remote = { file, hasMetadata: true, size: 5, algorithm: 'sha256' } as const;

  it('part file names have at most 143 bytes, the limit of eCryptfs, and contain the target, the content key and the owner, for any target', () => {
    const check = (given: string): void => {
      const name = safeName(given);
      const part = newPartName(name, partKey(name, remote));
      Buffer.byteLength(part).should.be.belowOrEqual(143);
      part.should.not.match(/[/\\]/);
      should(parsePartName(part)).deepEqual({
        target: targetInPartName(name),
        contentKey: partKey(name, remote),
        owner: currentOwner(),
      });
      should(newPartName(name, undefined)).not.equal(newPartName(name, undefined));
    };
    checkProperty(fc.property(fc.string({ unit: 'binary', maxLength: 400 }), check));
    for (const name of ['x'.repeat(255), '文'.repeat(85), `${'x'.repeat(223)}.${'y'.repeat(31)}`])
      check(name);
  });

  it('part file names tell long targets apart that begin and end in the same way', () => {
    const [one, two] = [1, 2].map((part) =>
      targetInPartName(`${'The choir in the old town hall, '.repeat(3)}${part}.mp4`),
    );
    should(one).not.equal(two);
  });

  it('part file names of earlier versions are understood; they have no owner', () => {
    for (const [target, name] of [
      ['out.tar', 'out.tar'],
      ['x'.repeat(180), 'x'.repeat(180)],
    ] as const) {
      should(parsePartName(`.${target}.0123456789abcdef.12-89abcdef.part`)).deepEqual({
        target: targetInPartName(name),
        contentKey: '0123456789abcdef',
        owner: undefined,
      });
    }
  });

  it('part file names are not recognized in other files', () => {
    for (const name of ['out', '.out.part', '.out.0123456789abcdef.part', '.out.0123456789abcdef.12.part~']) {
      should(parsePartName(name)).be.undefined();
    }
  });
});
