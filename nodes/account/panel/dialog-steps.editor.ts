/**
 * The steps of the dialog: shows which are done and which is next, collapses those that are done when the dialog opens,
 * and focuses what comes next.
 */
import { sharedText } from '../../shared/editor/shared-text';
import { accountField, accountValue, isCustomService, isServiceAccount } from './account-fields.editor';
import { scopeSummary } from './scope-choice.editor';

type Step = 'service' | 'client' | 'key' | 'scope' | 'sign-in';
type CollapsibleStep = 'client' | 'scope';

const COLLAPSIBLE_STEPS: readonly CollapsibleStep[] = ['client', 'scope'];

const step = (name: Step): JQuery => $(`#cloud-drive-step-${name}`);

export class DialogSteps {
  private isSignedIn = false;
  private wasCollapsed = false;
  /** Resolves when the editor has focused the first field of the dialog. */
  private readonly opened: Promise<void>;
  private isLoaded = false;
  /** Whether the focus moves to what comes next when the account's state is known: not if the user has moved it or types. */
  private movesFocus = true;

  constructor() {
    const dialog = step('client').closest('.red-ui-tray');
    this.opened = new Promise((resolve) => dialog.one('focusin', () => void setTimeout(resolve)));
    const stay = (): void => void (this.movesFocus = false);
    dialog.on('keydown', stay);
    void this.opened.then(() => dialog.on('focusin', stay));
    for (const name of COLLAPSIBLE_STEPS) {
      step(name)
        .find('.cloud-drive-change')
        .on('click', () => this.expand(name));
      step(name).on('cloud-drive-change', () => this.expand(name));
    }
    const fields = ['clientId', 'clientSecret', 'baseUrl', 'tokenUrl'].map(
      (name) => `#node-config-input-${name}`,
    );
    $(fields.join()).on('change input', () => this.update());
    $('#node-config-input-serviceAccountKey, #node-config-input-auth').on('change input', () =>
      this.update(),
    );
    accountField('service').on('change', () => {
      this.update();
      if (isCustomService() && accountValue('baseUrl') === '') accountField('baseUrl').trigger('focus');
    });
    this.update();
    if (this.isDone('client')) this.collapseSteps();
  }

  /** Focuses the first step of a new account. */
  focusFirstStep(): void {
    const property = isServiceAccount() ? 'serviceAccountKey' : 'clientId';
    const json = isServiceAccount() ? 'key-json' : 'client-json';
    if (accountValue(property) === '')
      void this.opened.then(() => $(`#cloud-drive-${json}`).trigger('focus'));
  }

  /** Focuses what comes after the client: the sign-in button if everything else is complete. */
  focusNext(): void {
    // Until the account's state is known, there is no button to sign in.
    this.movesFocus = !this.isLoaded;
    const next = $('.cloud-drive-step[data-state="next"]');
    if (next.is(step('sign-in'))) {
      if ($('fieldset .input-error:not([type=hidden])').length === 0)
        next.find('.red-ui-button.primary').trigger('focus');
    } else if (next.is(step('scope'))) accountField('scope').trigger('focus');
  }

  /** Call it when a field has changed. */
  update(): void {
    const identity: Step = isServiceAccount() ? 'key' : 'client';
    const steps: Step[] = [...(isCustomService() ? ['service' as const] : []), identity, 'scope', 'sign-in'];
    const next = steps.findIndex((name) => !this.isDone(name));
    steps.forEach((name, index) => {
      // A step isn't done before those that it depends on.
      const state = next === -1 || index < next ? 'done' : index === next ? 'next' : 'later';
      step(name).attr('data-state', state);
      step(name)
        .find('.cloud-drive-step-state')
        .text(sharedText(`form.step_${state}`));
    });
    step('client').find('.cloud-drive-summary-text').text(accountValue('clientId'));
    step('scope').find('.cloud-drive-summary-text').text(scopeSummary());
  }

  /** @param hasEnded whether a sign-in has ended or failed: its reason may be below the visible part of the dialog */
  setSignedIn(isSignedIn: boolean, hasEnded: boolean): void {
    this.isSignedIn = isSignedIn;
    this.update();
    if (!this.isLoaded) this.showNext(hasEnded);
    this.isLoaded = true;
    if (!isSignedIn || this.wasCollapsed) return;
    this.wasCollapsed = true;
    this.collapseSteps();
  }

  /** When the dialog opens: of a signed-in account its sign-in comes first, otherwise what is left to do. */
  private showNext(hasEnded: boolean): void {
    if (this.isSignedIn) return void step('sign-in').insertBefore(step('sign-in').siblings().first());
    if (isServiceAccount() || accountValue('clientId') === '') return;
    void this.opened.then(() => {
      if (this.movesFocus) this.focusNext();
      if (hasEnded) step('sign-in')[0]?.scrollIntoView({ block: 'nearest' });
    });
  }

  private collapseSteps(): void {
    COLLAPSIBLE_STEPS.forEach((name) => this.collapse(name));
  }

  private isDone(name: Step): boolean {
    if (name === 'service')
      return accountValue('baseUrl') !== '' && (isServiceAccount() || accountValue('tokenUrl') !== '');
    // The environment may contain the key.
    if (name === 'key') return this.isSignedIn || accountValue('serviceAccountKey') !== '';
    if (name === 'client')
      return accountValue('clientId') !== '' && (isCustomService() || accountValue('clientSecret') !== '');
    if (name === 'scope') return !isCustomService() || isServiceAccount() || accountValue('scope') !== '';
    return this.isSignedIn;
  }

  /** Invalid fields, and the one that is being edited, stay visible. */
  private collapse(name: CollapsibleStep): void {
    const body = step(name).find('.cloud-drive-step-body');
    const isExpanded = !this.isDone(name) || body.find('.input-error:not([type=hidden]), :focus').length > 0;
    body.toggle(isExpanded);
    step(name).find('.cloud-drive-summary').toggle(!isExpanded);
  }

  private expand(name: CollapsibleStep): void {
    step(name).find('.cloud-drive-summary').hide();
    step(name).find('.cloud-drive-step-body').show().find('input, textarea').first().trigger('focus');
  }
}
