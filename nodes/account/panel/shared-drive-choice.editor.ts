/**
 * The account's drive: My Drive, or a shared drive by name or by a typed ID. The field of the `driveId` property
 * contains the value; the names are for display only.
 */
import type { AccountStatus } from '../../shared/contract/account-api';
import type { ListedDrive } from '../../shared/contract/dialog-api';
import { parseDriveUrl } from '../../shared/contract/values';
import { AdminRequestError } from '../../shared/editor/admin-request';
import { BrowseClient } from '../../shared/editor/browse-client';
import { SharedDriveOptions } from '../../shared/editor/shared-drive-options';
import { type SharedTextKey, sharedText } from '../../shared/editor/shared-text';
import { accountField, accountValue, isCustomService, isServiceAccount } from './account-fields.editor';

/** The option for a typed ID. No ID contains this character. */
const TYPED = '#';

export class SharedDriveChoice {
  private readonly select = $('#cloud-drive-drive-choice');
  private readonly field = accountField('driveId');
  private readonly state = $('#cloud-drive-drive-state');
  private readonly section = $('#cloud-drive-advanced');
  private readonly controller = new AbortController();
  private readonly client: BrowseClient;
  private readonly drives: SharedDriveOptions;
  private isSignedIn = false;
  private isLoaded = false;
  /** The user has chosen to type the ID: names that arrive later don't replace that choice. */
  private isTyping = false;
  /** Whose drives are listed. */
  private user = '';
  /** Why the drives aren't listed. */
  private failure = '';

  constructor(accountId: string) {
    this.client = new BrowseClient(accountId, this.controller.signal);
    this.drives = new SharedDriveOptions({
      select: this.select,
      client: this.client,
      valueOf: ({ id }: ListedDrive) => id,
    });
    this.drives.filter.insertAfter(this.select);
    this.select.append(
      $('<option value="">').text(sharedText('form.drive_none')),
      $('<option>').val(TYPED).text(sharedText('form.drive_typed')),
    );
    this.select.val(this.id === '' ? '' : TYPED).on('change', () => this.selected());
    this.field.on('change', () => {
      this.isTyping = false;
      this.typed();
    });
    this.section.on('toggle', () => void this.load());
    accountField('service').on('change', () => this.update());
    this.update();
  }

  /** Call it when the account's state is known or has changed. */
  setAccount({ signedIn, auth, account, scope, since }: AccountStatus): void {
    this.isSignedIn = signedIn && (auth === 'service-account') === isServiceAccount();
    const user = JSON.stringify([signedIn, auth, account, scope, since]);
    if (user !== this.user) this.isLoaded = false;
    this.user = user;
    this.update();
    void this.load();
  }

  close(): void {
    this.controller.abort();
  }

  private get id(): string {
    return accountValue('driveId');
  }

  private selected(): void {
    const value = String(this.select.val());
    if (value === TYPED) {
      this.isTyping = true;
      this.update();
      this.field.trigger('focus');
      return;
    }
    this.field.val(value).trigger('change');
  }

  /** Accepts the URL of a shared drive, as copied from the browser. */
  private typed(): void {
    const url = parseDriveUrl(this.id);
    if (url && 'id' in url) this.field.val(url.id);
    this.showChoice();
    void this.showName();
  }

  /** Selects the name of the ID, if it is known. */
  private showChoice(): void {
    if (this.isTyping) return;
    const isListed = this.id === '' ? this.select.val() !== TYPED : this.drives.drive(this.id) !== undefined;
    this.select.val(isListed ? this.id : TYPED);
    this.update();
  }

  /** A custom service has no list: its ID is typed. */
  private update(): void {
    this.select.closest('.form-row').toggle(!isCustomService());
    this.field.closest('.form-row').toggle(isCustomService() || this.select.val() === TYPED);
    if (!this.isSignedIn) this.say(isServiceAccount() ? 'form.drive_deploy' : 'form.drive_sign_in');
  }

  private async load(): Promise<void> {
    // Most users leave the section closed.
    if (!this.isSignedIn || this.isLoaded || this.section.prop('open') !== true) return;
    this.isLoaded = true;
    this.say('browse.loading');
    const state = await this.drives.load();
    if (!state) return;
    this.failure = state.kind === 'failed' ? state.message : '';
    this.say(state.kind === 'listed' && state.drives.length === 0 ? 'form.drive_none_listed' : '');
    if (this.drives.drive(this.id)) this.showChoice();
    else await this.showName();
  }

  /** Shows the name of an ID that isn't listed. */
  private async showName(): Promise<void> {
    const { id } = this;
    if (!this.isLoaded || !/^[\w-]+$/.test(id) || this.drives.drive(id)) return;
    try {
      const drive = await this.client.drive(id);
      if (this.client.isAborted || this.id !== id) return;
      this.drives.add(drive);
      this.say('');
      this.showChoice();
    } catch (error) {
      const isUnknown = error instanceof AdminRequestError && error.status === 404;
      if (isUnknown && !this.client.isAborted && this.id === id) this.say('form.drive_unknown');
    }
  }

  private say(key: '' | SharedTextKey): void {
    this.state.text(key === '' ? this.failure : sharedText(key));
  }
}
