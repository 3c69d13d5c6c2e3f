/** The choice of the sign-in method, and which method is preselected. */
import type { ClientSignInMethod } from './pasted-json';
import { sharedText } from '../../shared/editor/shared-text';
import { isCustomService } from './account-fields.editor';
import { block, checkbox, copyButton, hintText, uniqueId } from './panel-elements.editor';
import { isIngress, isRedirectAllowed } from './redirect-check';
import { needsBrowser, seesProjectOnly } from './scope-choice.editor';

/** The device flow, a redirect to Node-RED, or a redirect to a URL that the user pastes. */
export type SignInMethod = 'device' | 'browser' | 'paste';

const METHODS: readonly SignInMethod[] = ['device', 'browser', 'paste'];

/** The redirect URI of this Node-RED, as the browser sees it: behind any proxy, and with any `httpAdminRoot`. */
export function callbackUrl(): string {
  return new URL('cloud-drive-account/callback', document.baseURI.replace(/[?#].*$/, '')).href;
}

/** RFC 8252 section 7.3. Nothing listens on the port, so the URL with the code stays in the browser's address bar. */
export function loopbackRedirectUrl(): string {
  const [random = 0] = crypto.getRandomValues(new Uint16Array(1));
  return `http://127.0.0.1:${49_152 + (random % 16_384)}/`;
}

function isCallbackAllowed(): boolean {
  return isRedirectAllowed(callbackUrl(), isCustomService() ? 'custom' : 'google');
}

interface MethodRow {
  method: SignInMethod;
  input: JQuery;
  row: JQuery;
}

export class SignInMethodChoice {
  private selected: SignInMethod | undefined;
  private preselected: SignInMethod | undefined;
  private rows: MethodRow[] = [];
  private chooseFilesBox: ReturnType<typeof checkbox> | undefined;

  /** Selects the method that suits the client. */
  preselect(method: ClientSignInMethod | undefined): void {
    this.preselected = method;
    this.selected = undefined;
    this.update();
  }

  get method(): SignInMethod {
    const method = this.selected ?? this.preselected;
    if (method && this.isPossible(method)) return method;
    if (this.isPossible('device')) return 'device';
    return isCallbackAllowed() && this.preselected !== 'paste' ? 'browser' : 'paste';
  }

  /** Whether the user also chooses existing files, in Google's picker. */
  get chooseFiles(): boolean {
    return this.canChooseFiles && this.chooseFilesBox?.isChecked() === true;
  }

  /** Google shows its picker only in a browser sign-in, and only with this scope. */
  private get canChooseFiles(): boolean {
    return this.method !== 'device' && seesProjectOnly();
  }

  /** Call it when the scope or the service has changed. */
  update(): void {
    for (const { method, input, row } of this.rows) {
      const isPossible = this.isPossible(method);
      input.prop({ checked: method === this.method, disabled: !isPossible });
      row.toggleClass('cloud-drive-disabled', !isPossible);
      row.find('.cloud-drive-hint').text(this.hint(method));
      row.find('.cloud-drive-url').toggle(isPossible);
    }
    this.chooseFilesBox?.element.toggle(this.canChooseFiles);
  }

  /** Creates the radio buttons. */
  view(): JQuery {
    const groupName = uniqueId();
    this.rows = METHODS.map((method) => this.row(method, groupName));
    const title = $('<legend>').text(sharedText('way.title'));
    const fieldset = $('<fieldset class="cloud-drive-methods">');
    this.chooseFilesBox = checkbox(sharedText('way.choose_files'), sharedText('way.choose_files_hint'));
    fieldset.append(title, ...this.rows.map(({ row }) => row), this.chooseFilesBox.element);
    this.update();
    return fieldset;
  }

  private row(method: SignInMethod, name: string): MethodRow {
    const [id, hintId] = [uniqueId(), uniqueId()];
    const input = $('<input type="radio">').attr({ id, name, 'aria-describedby': hintId });
    input.on('change', () => {
      this.selected = method;
      this.update();
    });
    const label = $('<label>')
      .attr('for', id)
      .text(sharedText(`way.${method}`));
    const text = $('<div>').append(label, hintText('', hintId));
    if (method === 'browser') {
      const url = $('<code>').text(callbackUrl());
      text.append(block('url', url, copyButton(callbackUrl())));
    }
    return { method, input, row: block('option', input, text) };
  }

  private isPossible(method: SignInMethod): boolean {
    if (method === 'device') return !needsBrowser();
    return method === 'paste' || isCallbackAllowed();
  }

  private hint(method: SignInMethod): string {
    if (method === 'device' && needsBrowser()) return sharedText('way.device_not');
    if (method === 'browser' && isIngress(callbackUrl())) return sharedText('way.browser_not_ingress');
    if (method === 'browser' && !isCallbackAllowed())
      return sharedText('way.browser_not', { address: location.origin });
    return sharedText(`way.${method}_hint`);
  }
}
