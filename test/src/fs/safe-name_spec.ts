/** File names on disk for names on the drive. https://learn.microsoft.com/windows/win32/fileio/naming-a-file */
import fc from 'fast-check';
import { basename, resolve, win32 } from 'node:path';
import should from 'should';
import { truncateName, safeName } from '../../../src/fs/safe-name';

describe('safeName', () => {
  const names: [string, string][] = [
    ['plain.tar.gz', 'plain.tar.gz'],
    ['with space.txt', 'with space.txt'],
    ['.hidden', '.hidden'],
    ['../../etc/passwd', '.._.._etc_passwd'],
    ['/absolute', '_absolute'],
    ['C:\\Windows\\x', 'C__Windows_x'],
    ['a/b', 'a_b'],
    ['..', 'unnamed'],
    ['.', 'unnamed'],
    ['', 'unnamed'],
    ['   ', 'unnamed'],
    ['trailing. . ', 'trailing'],
    ['nul\u0000byte', 'nul_byte'],
    ['new\nline\u0085', 'new_line_'],
    ['what?*<>|":', 'what_______'],
    ['CON', '_CON'],
    ['con.txt', '_con.txt'],
    ['Lpt1 .txt', '_Lpt1 .txt'],
    ['com¹', '_com¹'],
    ['console', 'console'],
    ['half \ud83d character', 'half _ character'],
    ['emoji 😀 ‏עברית', 'emoji 😀 ‏עברית'],
  ];
  for (const [name, expected] of names) {
    it(`safeName turns ${JSON.stringify(name)} into ${JSON.stringify(expected)}`, () =>
      safeName(name).should.equal(expected));
  }

  it('safeName keeps the extension of a name that is too long, and cuts between characters', () => {
    const long = safeName(`${'é'.repeat(200)}.tar`);
    Buffer.byteLength(long).should.be.belowOrEqual(255);
    long.should.match(/^é+\.tar$/);
    Buffer.byteLength(safeName('😀'.repeat(100))).should.equal(252);
    safeName(`x.${'y'.repeat(300)}`).length.should.equal(255);
    truncateName('. . . .tar', 5).should.equal('_.tar');
    truncateName('a. .tar', 7).should.equal('a. .tar');
    const longest = `.${'y'.repeat(31)}`;
    safeName(`${'x'.repeat(300)}${longest}`).should.equal(`${'x'.repeat(223)}${longest}`);
  });

  it('safeName returns a name that fits, stays in its folder and is safe already, for any name', () => {
    const name = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 400 }),
      fc
        .array(fc.constantFrom('.', '..', '/', '\\', 'con', ' ', 'é', '\u0000', 'a'), { maxLength: 300 })
        .map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(name, (each) => {
        const safe = safeName(each);
        should(safe).equal(safeName(each));
        should(safeName(safe)).equal(safe);
        should(Buffer.byteLength(safe)).be.within(1, 255);
        should(basename(resolve('/in', safe))).equal(safe);
        should(resolve('/in', safe)).equal(`/in/${safe}`);
        should(win32.resolve('C:\\in', safe)).equal(`C:\\in\\${safe}`);
        should(Buffer.from(safe).toString()).equal(safe);
      }),
    );
  });
});
