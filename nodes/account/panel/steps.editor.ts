/** The dialog's three steps: which are done, which is next, and the first two folded away once all are. */
import { sharedText } from '../../shared/editor/texts';
import { scopeSummary } from './scope-choice.editor';

type Step = 'client' | 'scope' | 'sign-in';

const STEPS: readonly Step[] = ['client', 'scope', 'sign-in'];

const step = (name: Step): JQuery => $(`#cloud-drive-step-${name}`);
const field = (name: string): string => String($(`#node-config-input-${name}`).val() ?? '').trim();

export class Steps {
  private isSignedIn = false;
  private hasFolded = false;
  /** Once the editor has put the keyboard where it wants it, at the top of the dialog. */
  private readonly opened: Promise<void>;
  private isLoaded = false;

  constructor() {
    const dialog = step('client').closest('.red-ui-tray');
    this.opened = new Promise((resolve) => dialog.one('focusin', () => void setTimeout(resolve)));
    for (const name of ['client', 'scope'] as const) {
      step(name)
        .find('.cloud-drive-change')
        .on('click', () => this.unfold(name));
    }
    $('#node-config-input-clientId, #node-config-input-clientSecret').on('change input', () => this.update());
    this.update();
  }

  /** With a new account the keyboard is where it begins. */
  begin(): void {
    if (field('clientId') === '') void this.opened.then(() => $('#cloud-drive-record').trigger('focus'));
  }

  /** The first step is done: the keyboard goes to signing in, where nothing else is missing. */
  goOn(): void {
    if (step('sign-in').attr('data-state') === 'next' && $('fieldset .input-error').length === 0)
      step('sign-in').find('.red-ui-button.primary').trigger('focus');
  }

  /** Something in the form has changed. */
  update(): void {
    const done = STEPS.map((name) => this.isDone(name));
    const next = done.indexOf(false);
    STEPS.forEach((name, index) => {
      const state = done[index] ? 'done' : index === next ? 'next' : 'later';
      step(name).attr('data-state', state);
      step(name)
        .find('.cloud-drive-step-state')
        .text(sharedText(`form.step_${state}`));
    });
    step('client').find('.cloud-drive-summary-text').text(field('clientId'));
    step('scope').find('.cloud-drive-summary-text').text(scopeSummary());
  }

  /** @param isOver a sign-in has ended or failed: what to do about it lies below what the dialog opens with */
  signedIn(isSignedIn: boolean, isOver: boolean): void {
    this.isSignedIn = isSignedIn;
    this.update();
    if (isOver && !this.isLoaded)
      void this.opened.then(() => step('sign-in')[0]?.scrollIntoView({ block: 'nearest' }));
    this.isLoaded = true;
    if (!isSignedIn || this.hasFolded) return;
    this.hasFolded = true;
    for (const name of ['client', 'scope'] as const) this.fold(name);
  }

  private isDone(name: Step): boolean {
    const isCustom = field('service') === 'custom';
    if (name === 'client') return field('clientId') !== '' && (isCustom || field('clientSecret') !== '');
    if (name === 'scope') return !isCustom || field('scope') !== '';
    return this.isSignedIn;
  }

  private fold(name: 'client' | 'scope'): void {
    const body = step(name).find('.cloud-drive-step-body');
    // What is wrong, or just being edited, stays in sight.
    const isBusy = !this.isDone(name) || body.find('.input-error, :focus').length > 0;
    body.toggle(isBusy);
    step(name).find('.cloud-drive-summary').toggle(!isBusy);
  }

  private unfold(name: 'client' | 'scope'): void {
    step(name).find('.cloud-drive-summary').hide();
    step(name).find('.cloud-drive-step-body').show().find('input, textarea').first().trigger('focus');
  }
}
