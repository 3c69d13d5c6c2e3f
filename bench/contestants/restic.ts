/** restic, which reaches the drive at the front of service/google-front.ts through rclone. https://restic.readthedocs.io */
import path from 'node:path';
import type { Sample } from '../harness/case';
import type { GoogleFront } from '../service/google-front';
import { commands } from './programs';
import { writeRcloneConfig } from './rclone';

export class Restic {
  private constructor(
    private readonly env: Record<string, string>,
    private readonly folder: string,
  ) {}

  /** @param folder for the configuration and the caches */
  static async configure(folder: string, front: GoogleFront, passphrase: string): Promise<Restic> {
    const env = {
      ...{ RESTIC_PASSWORD: passphrase, RESTIC_REPOSITORY: 'rclone:drive:', RESTIC_PROGRESS_FPS: '0.1' },
      ...{ RCLONE_CONFIG: await writeRcloneConfig(folder), RCLONE_CA_CERT: front.ca },
      ...{ RCLONE_DRIVE_PACER_MIN_SLEEP: '1us', RCLONE_DRIVE_PACER_BURST: '1000000' },
      ...{ HTTPS_PROXY: front.proxy, NO_PROXY: '' },
    };
    return new Restic(env, folder);
  }

  /** Runs restic with a repository, which has a cache of its own. @param args for bash. @returns with the CPU time of rclone */
  run(folderId: string, args: string): Promise<Sample> {
    const cache = path.join(this.folder, `restic-cache-${folderId}`);
    return commands(`restic ${args}`, {
      ...{ ...this.env, RCLONE_DRIVE_ROOT_FOLDER_ID: folderId, RESTIC_CACHE_DIR: cache },
    });
  }
}
