/** Metadata in the headers of a content: RFC 6266 section 4, RFC 8187. */
import should from 'should';
import { fileFromHeaders, fileNameFrom } from '../../../../src/transfer/download/fetch-content';

describe('fileFromHeaders', () => {
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
    ['attachment;filename=a.txt', 'a.txt'],
    ['attachment; filename = "b.txt"', 'b.txt'],
    ["attachment;filename*=UTF-8''c.txt", 'c.txt'],
    ["attachment; filename* = UTF-8''d.txt", 'd.txt'],
  ];
  for (const [header, name] of names) {
    it(`fileFromHeaders reads the name ${String(name)} from ${String(header)}`, () =>
      should(fileNameFrom(header)).equal(name));
  }

  it('fileFromHeaders contains only what the headers contain', () => {
    fileFromHeaders('F', {}).should.deepEqual({ id: 'F' });
    for (const length of ['x', '5x', 'x5', '-5'])
      fileFromHeaders('F', { 'content-length': length, 'content-type': '' }).should.deepEqual({ id: 'F' });
    const headers = { 'content-length': '5', 'content-type': 'text/csv ; charset=utf-8' };
    fileFromHeaders('F', headers).should.deepEqual({ id: 'F', mimeType: 'text/csv', size: '5' });
  });
});
