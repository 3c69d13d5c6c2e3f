/** The name of the file beside the target, which says whose it is: docs/how-it-works.md, "Transfers that break". */
import fc from 'fast-check';
import should from 'should';
import { contentKey, newPartName, readPartName, targetIn } from '../../../src/download/part-name';
import { safeName } from '../../../src/download/safe-name';
import { checkProperty } from '../../support/property';

describe('the name of a part file', () => {
  const file = { id: 'F', md5Checksum: 'a', sha256Checksum: 'b' };
  const remote = { file, isKnown: true, size: 5, algorithm: 'sha256' } as const;

  it('fits on any disk, and tells the target, the content and the process, whatever the name', () => {
    checkProperty(
      fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (given) => {
        const name = safeName(given);
        const part = newPartName(name, contentKey(name, remote));
        Buffer.byteLength(part).should.be.belowOrEqual(255);
        part.should.not.match(/[/\\]/);
        should(readPartName(part)).deepEqual({
          target: targetIn(name),
          key: contentKey(name, remote),
          pid: process.pid,
        });
        should(newPartName(name, undefined)).not.equal(newPartName(name, undefined));
      }),
    );
  });

  it('is another for another content, file or target', () => {
    const keys = [
      contentKey('out', remote),
      contentKey('out2', remote),
      contentKey('out', { ...remote, size: 6 }),
      contentKey('out', { ...remote, algorithm: 'md5' }),
      contentKey('out', { ...remote, file: { ...file, id: 'G' } }),
      contentKey('out', { ...remote, file: { ...file, sha256Checksum: 'c' } }),
    ];
    new Set(keys).size.should.equal(keys.length);
    should(contentKey('out', { ...remote, file: { ...file, sha256Checksum: 'B' } })).equal(keys[0]);
  });

  it('is of nobody’s use where the service says too little to know the content again', () => {
    should(contentKey('out', { ...remote, size: undefined })).be.undefined();
    should(contentKey('out', { ...remote, algorithm: undefined })).be.undefined();
  });

  it('is not seen in other files', () => {
    for (const name of ['out', '.out.part', '.out.0123456789abcdef.part', '.out.0123456789abcdef.12.part~']) {
      should(readPartName(name)).be.undefined();
    }
  });
});
