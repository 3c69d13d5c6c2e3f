/** Which process writes a part file: https://man7.org/linux/man-pages/man7/pid_namespaces.7.html */
import { spawnSync } from 'node:child_process';
import should from 'should';
import { currentOwner, hasEnded, startTimeOf } from '../../../src/fs/part-owner';

describe('hasEnded', () => {
  const own = currentOwner();

  it('hasEnded is false for this process', () => {
    hasEnded(own).should.be.false();
  });

  it('hasEnded is false for another running process', () => {
    hasEnded({ ...own, pid: process.ppid, startTime: startTimeOf(process.ppid) ?? '' }).should.be.false();
  });

  it('hasEnded is true for a process that has ended', () => {
    const { pid } = spawnSync(process.execPath, ['--version']);
    hasEnded({ ...own, pid }).should.be.true();
  });

  it('hasEnded is true for an earlier process with the PID of this one', () => {
    hasEnded({ ...own, startTime: '1' }).should.be.true();
  });

  it('hasEnded is true for an earlier process with the PID of another running one', () => {
    hasEnded({ ...own, pid: process.ppid, startTime: '1' }).should.be.true();
  });

  it('a process that has ended has no start time', () => {
    const { pid } = spawnSync(process.execPath, ['--version']);
    should(startTimeOf(pid)).be.undefined();
  });

  it('hasEnded is false for any process in another PID namespace, even if its PID is free here', () => {
    const { pid } = spawnSync(process.execPath, ['--version']);
    for (const each of [pid, own.pid]) {
      hasEnded({ ...own, pidNamespace: 'ffffffff', pid: each, startTime: '1' }).should.be.false();
    }
  });
});
