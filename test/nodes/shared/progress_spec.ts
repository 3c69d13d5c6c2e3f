/** The second output, at most once a second: docs/nodes.md, "What comes out". */
import { writeFile } from 'node:fs/promises';
import should from 'should';
import { type Progress, trackCount, trackProgress } from '../../../nodes/shared/runtime/progress';
import { bytes } from '../../support/content';
import { useDisk } from '../../support/disk';
import { useDrive } from '../../support/node-red/flow-drive';
import { load, useNodeRed } from '../../support/node-red/load';
import { failed, passed } from '../../support/node-red/outcome';

describe('trackProgress', () => {
  let now: number;
  let shown: string[];
  let emitted: [Progress, unknown][];
  const track = (secondOutput = true) =>
    trackProgress({
      now: () => now,
      language: 'en',
      file: 'initial',
      show: (text) => shown.push(text),
      emit: secondOutput ? (progress, file) => emitted.push([progress, file]) : undefined,
    });

  beforeEach(() => {
    now = 5_000;
    shown = [];
    emitted = [];
  });

  it('trackProgress emits at most once a second, and once at the end', () => {
    const { onProgress, finish } = track();
    for (let step = 1; step <= 100; step++) {
      now += 25;
      onProgress(step * 100_000, 10_000_000);
    }
    finish('whole');
    shown.should.eql(['40 % · 4.0 MB/s', '80 % · 4.0 MB/s']);
    emitted.should.eql([
      [
        { transferred: 4_000_000, total: 10_000_000, percent: 40, bytesPerSecond: 4_000_000, secondsLeft: 2 },
        'initial',
      ],
      [
        { transferred: 8_000_000, total: 10_000_000, percent: 80, bytesPerSecond: 4_000_000, secondsLeft: 1 },
        'initial',
      ],
      [
        {
          transferred: 10_000_000,
          total: 10_000_000,
          percent: 100,
          bytesPerSecond: 4_000_000,
          secondsLeft: 0,
        },
        'whole',
      ],
    ]);
  });

  it('trackCount shows the first item immediately and then at most two updates a second', () => {
    const count = trackCount(
      () => now,
      (text) => shown.push(text),
    );
    for (let done = 0; done < 95; done++, now += 20) count(done, 95);
    shown.should.eql(['0 / 95', '25 / 95', '50 / 95', '75 / 95']);
    now += 1_000;
    count(0, 1);
    shown.length.should.equal(4);
  });

  for (const [language, description, expected] of [
    ['en', '1,204 / 20,000', '1,204 / 20,000 · 3.2 MB/s · 4 min'],
    ['de', '1.204 / 20.000', '1.204 / 20.000 · 3,2 MB/s · 4 Min.'],
  ] as const) {
    it(`trackProgress shows a description and the remaining time as written in ${language}`, () => {
      const { onProgress, finish } = trackProgress({
        now: () => now,
        language,
        file: {},
        show: (text) => shown.push(text),
        emit: (progress) => emitted.push([progress, undefined]),
        describe: () => description,
        showsTimeLeft: true,
        details: () => ({ files: 7 }),
      });
      now += 2_000;
      onProgress(6_400_000, 774_400_000);
      finish(undefined);
      shown.should.eql([expected]);
      emitted
        .map(([progress]) => progress)
        .should.matchEach((progress: object) => should(progress).have.property('files', 7));
    });
  }

  it('trackProgress emits null for unknown values', () => {
    const { onProgress, finish } = track();
    now += 2_000;
    onProgress(3_000_000, undefined);
    finish('whole');
    shown.should.eql(['3.0 MB · 1.5 MB/s']);
    emitted[1]?.should.eql([
      { transferred: 3_000_000, total: null, percent: null, bytesPerSecond: 1_500_000, secondsLeft: null },
      'whole',
    ]);
  });

  it('trackProgress includes resumed bytes in the progress but not in the speed', () => {
    const { onProgress } = track();
    now += 9_000;
    onProgress(8_000_000, 10_000_000, 8_000_000);
    now += 1_000;
    onProgress(9_000_000, 10_000_000, 8_000_000);
    emitted
      .map(([{ transferred, percent }]) => [transferred, percent])
      .should.eql([
        [8_000_000, 80],
        [9_000_000, 90],
      ]);
    emitted
      .map(([{ bytesPerSecond, secondsLeft }]) => [bytesPerSecond, secondsLeft])
      .should.eql([
        [0, null],
        [1_000_000, 1],
      ]);
  });

  it('trackProgress emits 100 percent at the end, even if a last attempt was unnecessary', () => {
    const { onProgress, finish } = track();
    onProgress(4_162, 4_162);
    onProgress(0, 4_162);
    finish('whole');
    emitted.map(([{ transferred, percent }]) => [transferred, percent]).should.eql([[4_162, 100]]);
  });

  it('trackProgress emits the end of an empty content', () => {
    track().finish('whole');
    emitted.should.eql([
      [{ transferred: 0, total: 0, percent: 100, bytesPerSecond: 0, secondsLeft: null }, 'whole'],
    ]);
  });

  it('trackProgress updates the status without a second output', () => {
    const { onProgress, finish } = track(false);
    now += 1_000;
    onProgress(1, 4);
    finish('whole');
    shown.should.eql(['25 % · 0.0 MB/s']);
    emitted.should.be.empty();
  });
});

describe('second output', () => {
  useNodeRed();
  const drive = useDrive();
  const disk = useDisk();

  const NODES = {
    download: async () => ({ payload: await drive().files.add({ name: 'a', content: bytes(100_000) }) }),
    upload: () => Promise.resolve({ payload: bytes(100_000), filename: 'a' }),
  };

  for (const [name, message] of Object.entries(NODES)) {
    const node = { id: 'n', type: `cloud-drive-${name}` };

    it(`the second output of ${name} sends one message at the end, with only the topic of the message`, async () => {
      const flow = await load([{ ...node, progress: true, outputs: 2 }], { url: drive().url });
      const ending = await flow.run('n', { ...(await message()), topic: 't', own: 'x' });
      const { file, payload } = passed(ending) as { file?: object; payload?: unknown };
      ending.second.should.have.length(1);
      const [progress] = ending.second;
      Object.keys(progress ?? {})
        .sort()
        .should.eql(['_msgid', 'file', 'payload', 'topic']);
      should(progress).match({ topic: 't', _msgid: ending.msg._msgid });
      should(progress?.payload).match({ transferred: 100_000, total: 100_000, percent: 100 });
      Object.keys(progress?.payload as object).should.eql([
        'transferred',
        'total',
        'percent',
        'bytesPerSecond',
        'secondsLeft',
      ]);
      should(progress?.['file']).eql(name === 'download' ? file : payload);
    });

    for (const progress of [undefined, false]) {
      it(`the second output of ${name} sends nothing with progress ${String(progress)}`, async () => {
        const more = progress === undefined ? {} : { progress };
        const flow = await load([{ ...node, ...more }], { url: drive().url });
        const ending = await flow.run('n', await message());
        passed(ending);
        ending.second.should.be.empty();
      });
    }
  }

  it('the second output of upload sends nothing if the upload is skipped or fails', async () => {
    const node = { id: 'n', type: 'cloud-drive-upload', progress: true };
    const flow = await load([{ ...node, ifExists: 'skip' }], { url: drive().url });
    const msg = { payload: 'x', filename: 'same' };
    (await flow.run('n', msg)).second.should.have.length(1);
    (await flow.run('n', msg)).second.should.be.empty();
    drive().faults.add({ kind: 'error', reason: 'forbidden', match: { path: '/upload/' } });
    failed(await flow.run('n', { ...msg, filename: 'other' }), 'permission_denied');
  });

  it('the second output of upload reports the end of an empty file', async () => {
    await writeFile(disk('empty'), '');
    const flow = await load([{ id: 'n', type: 'cloud-drive-upload', source: 'file', progress: true }], {
      url: drive().url,
    });
    const { second } = await flow.run('n', { filename: disk('empty') });
    should(second[0]?.payload).match({ transferred: 0, total: 0, percent: 100 });
  });
});
