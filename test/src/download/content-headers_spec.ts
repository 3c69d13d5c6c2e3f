/** What headers alone say of a file: RFC 6266 section 4, RFC 8187. */
import should from 'should';
import { fileFromHeaders, nameFrom } from '../../../src/download/content-headers';

describe('headers of a content', () => {
  const names: [string | undefined, string | undefined][] = [
    [undefined, undefined],
    ['attachment', undefined],
    ['attachment; filename=plain.txt', 'plain.txt'],
    ['attachment; filename="a; b.txt"', 'a; b.txt'],
    ['attachment; filename="say \\"x\\".txt"', 'say "x".txt'],
    ['attachment; filename="e.txt"; filename*=UTF-8\'\'%C3%A9%20x.txt', 'é x.txt'],
    ["attachment; filename*=utf-8'en'x.txt", 'x.txt'],
    ['attachment; filename="kept.txt"; filename*=UTF-8\'\'%ZZ', 'kept.txt'],
    [`attachment; filename="${Buffer.from('é.txt').toString('latin1')}"`, 'é.txt'],
    ['attachment; filename="\u00e9.txt"', 'é.txt'],
    ['attachment; filename=""', undefined],
  ];
  for (const [header, name] of names) {
    it(`give the name ${String(name)} for ${String(header)}`, () => should(nameFrom(header)).equal(name));
  }

  it('say no more than they hold', () => {
    fileFromHeaders('F', {}).should.deepEqual({ id: 'F' });
    fileFromHeaders('F', { 'content-length': 'x', 'content-type': '' }).should.deepEqual({ id: 'F' });
  });
});
