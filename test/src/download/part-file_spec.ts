import { behind } from '../../../src/download/part-file';

describe('PartFile', () => {
  it('goes on behind what a short write has taken', () => {
    const buffers = ['abc', 'de', 'fgh'].map((text) => Buffer.from(text));
    const texts = (bytes: number): string[] => behind(buffers, bytes).map(String);
    texts(0).should.deepEqual(['abc', 'de', 'fgh']);
    texts(1).should.deepEqual(['bc', 'de', 'fgh']);
    texts(3).should.deepEqual(['de', 'fgh']);
    texts(7).should.deepEqual(['h']);
    texts(8).should.deepEqual([]);
  });
});
