/** What a listing of a folder on disk contains. */
import { mkdir, realpath, symlink, writeFile } from 'node:fs/promises';
import { type Server, createServer } from 'node:net';
import 'should';
import { type LinkRules, listLocal } from '../../../src/sync/list-local';
import { useDisk } from '../../support/disk';

describe('listing of a folder on disk', () => {
  const disk = useDisk();
  let socket: Server;

  beforeEach(async () => {
    await mkdir(disk('top'));
    await mkdir(disk('outside'));
    socket = createServer();
    await new Promise<void>((resolve) => socket.listen(disk('top', 'socket'), resolve));
  });

  afterEach(() => new Promise((resolve) => socket.close(resolve)));

  /** @returns the reason of each blocked entry, and the kind of the others */
  async function list(symlinks: LinkRules['symlinks']): Promise<Record<string, string>> {
    const top = await realpath(disk('top'));
    const { entries } = await listLocal(disk('top'), { symlinks, top, parents: [top] });
    return Object.fromEntries(entries.map(({ name, kind, reason }) => [name, reason ?? kind]));
  }

  it('special files, and links to them, are blocked', async () => {
    await writeFile(disk('top', 'file'), '');
    await symlink('socket', disk('top', 'to-socket'));
    (await list('skip')).should.eql({ file: 'file', socket: 'special_file', 'to-socket': 'symlink' });
    (await list('follow')).should.match({ socket: 'special_file', 'to-socket': 'special_file' });
  });

  it('links to nowhere, outside, in a circle and to a folder above are blocked', async () => {
    await mkdir(disk('top', 'folder'));
    await symlink('missing', disk('top', 'dangling'));
    await symlink('../outside', disk('top', 'outside'));
    await symlink('circle', disk('top', 'circle'));
    await symlink('.', disk('top', 'up'));
    await symlink('folder', disk('top', 'inside'));
    (await list('follow')).should.eql({
      socket: 'special_file',
      folder: 'folder',
      dangling: 'symlink',
      outside: 'symlink_outside',
      circle: 'symlink',
      up: 'loop',
      inside: 'folder',
    });
  });

  it('files and folders whose names are not valid UTF-8 are blocked, beside valid names with U+FFFD', async () => {
    const bytes = (name: string): Buffer => Buffer.from(disk('top', name), 'latin1');
    await mkdir(bytes('dir\xe9'));
    await mkdir(bytes('dir\xe8'));
    await writeFile(bytes('file\xe9'), '');
    await writeFile(disk('top', 'file\ufffd'), '');
    const top = disk('top');
    const { entries } = await listLocal(top, { symlinks: 'skip', top, parents: [top] });
    entries
      .map(({ name, kind, reason }) => [name, reason ?? kind].join(' '))
      .sort()
      .should.eql([
        'dir\ufffd invalid_name',
        'dir\ufffd invalid_name',
        'file\ufffd file',
        'file\ufffd invalid_name',
        'socket special_file',
      ]);
  });

  it('a link through a file is an error of the disk', async () => {
    await writeFile(disk('top', 'file'), '');
    await symlink('file/below', disk('top', 'link'));
    await list('follow').should.be.rejectedWith({ code: 'ENOTDIR' });
  });
});
