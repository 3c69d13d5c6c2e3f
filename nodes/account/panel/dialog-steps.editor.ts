/** The three steps of the dialog: shows which are done and which is next, and collapses the first two after sign-in. */
import { sharedText } from '../../shared/editor/shared-text';
import { scopeSummary } from './scope-choice.editor';

type Step = 'client' | 'scope' | 'sign-in';
type CollapsibleStep = 'client' | 'scope';

const STEPS: readonly Step[] = ['client', 'scope', 'sign-in'];
const COLLAPSIBLE_STEPS: readonly CollapsibleStep[] = ['client', 'scope'];

const step = (name: Step): JQuery => $(`#cloud-drive-step-${name}`);
const field = (name: string): string => String($(`#node-config-input-${name}`).val() ?? '').trim();

export class DialogSteps {
  private isSignedIn = false;
  private wasCollapsed = false;
  /** Resolves when the editor has focused the first field of the dialog. */
  private readonly opened: Promise<void>;
  private isLoaded = false;

  constructor() {
    const dialog = step('client').closest('.red-ui-tray');
    this.opened = new Promise((resolve) => dialog.one('focusin', () => void setTimeout(resolve)));
    for (const name of COLLAPSIBLE_STEPS) {
      step(name)
        .find('.cloud-drive-change')
        .on('click', () => this.expand(name));
      step(name).on('cloud-drive-change', () => this.expand(name));
    }
    $('#node-config-input-clientId, #node-config-input-clientSecret').on('change input', () => this.update());
    this.update();
  }

  /** Focuses the first step of a new account. */
  focusFirstStep(): void {
    if (field('clientId') === '') void this.opened.then(() => $('#cloud-drive-client-json').trigger('focus'));
  }

  /** Focuses the sign-in button if everything before it is complete. */
  focusSignIn(): void {
    if (step('sign-in').attr('data-state') === 'next' && $('fieldset .input-error').length === 0)
      step('sign-in').find('.red-ui-button.primary').trigger('focus');
  }

  /** Call it when a field has changed. */
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

  /** @param hasEnded whether a sign-in has ended or failed: its reason is below the visible part of the dialog */
  setSignedIn(isSignedIn: boolean, hasEnded: boolean): void {
    this.isSignedIn = isSignedIn;
    this.update();
    if (hasEnded && !this.isLoaded)
      void this.opened.then(() => step('sign-in')[0]?.scrollIntoView({ block: 'nearest' }));
    this.isLoaded = true;
    if (!isSignedIn || this.wasCollapsed) return;
    this.wasCollapsed = true;
    COLLAPSIBLE_STEPS.forEach((name) => this.collapse(name));
  }

  private isDone(name: Step): boolean {
    const isCustom = field('service') === 'custom';
    if (name === 'client') return field('clientId') !== '' && (isCustom || field('clientSecret') !== '');
    if (name === 'scope') return !isCustom || field('scope') !== '';
    return this.isSignedIn;
  }

  /** Invalid fields, and the one that is being edited, stay visible. */
  private collapse(name: CollapsibleStep): void {
    const body = step(name).find('.cloud-drive-step-body');
    const isExpanded = !this.isDone(name) || body.find('.input-error, :focus').length > 0;
    body.toggle(isExpanded);
    step(name).find('.cloud-drive-summary').toggle(!isExpanded);
  }

  private expand(name: CollapsibleStep): void {
    step(name).find('.cloud-drive-summary').hide();
    step(name).find('.cloud-drive-step-body').show().find('input, textarea').first().trigger('focus');
  }
}
