/**
 * The guide to a client of one's own at Google, shown while the account has none. Which steps are checked is remembered
 * in this browser only: creating the client takes several visits to other pages.
 */
import { sharedText } from '../../shared/editor/shared-text';
import { brandingValues, type ConsolePage, consoleUrl } from './google-console.editor';
import { block, copyButton, hintText, link, uniqueId } from './panel-elements.editor';

/** The web page of the project's repository, or an empty string, set by `scripts/build.mjs`. */
declare const REPOSITORY_URL: string;

/** Keys below `guide` in the catalogue, with the page for each. */
const STEPS = {
  project: 'project',
  api: 'api',
  app: 'app',
  branding: 'branding',
  publish: 'audience',
  client: 'newClient',
} as const satisfies Record<string, ConsolePage>;

type GuideStep = keyof typeof STEPS;

const STORAGE_KEY = 'cloud-drive-guide';

/** Shows the guide, open if there is no client yet. */
export function initClientGuide(): void {
  const clientId = $('#node-config-input-clientId');
  const rows: GuideRow[] = [];
  const expandNext = (): void => rows.find(({ isChecked }) => !isChecked)?.expand();
  for (const step of Object.keys(STEPS) as GuideStep[]) rows.push(new GuideRow(step, rows, expandNext));
  $('#cloud-drive-guide')
    .prop('open', clientId.val() === '')
    .append(
      $('<p class="cloud-drive-hint">').text(sharedText('guide.intro')),
      $('<ol class="cloud-drive-guide-steps">').append(...rows.map(({ element }) => element)),
    );
  expandNext();
  const update = (): void => rows.forEach((row) => row.update(String(clientId.val())));
  clientId.on('change input', update);
  update();
}

/** Only one step is expanded at a time, so that the field for the client JSON below stays in view. */
class GuideRow {
  readonly element: JQuery;
  private readonly checkbox: JQuery;
  private readonly toggle: JQuery;
  private readonly link: JQuery;
  private readonly body: JQuery;

  /** @param rows all rows of the guide @param onCheck called when the user has checked or unchecked the step */
  constructor(
    private readonly step: GuideStep,
    private readonly rows: readonly GuideRow[],
    onCheck: () => void,
  ) {
    const [hintId, bodyId] = [uniqueId(), uniqueId()];
    const text = sharedText(`guide.${step}`);
    this.checkbox = $('<input type="checkbox">').attr({ 'aria-label': text, 'aria-describedby': hintId });
    this.checkbox.prop('checked', checkedSteps().includes(step));
    this.checkbox.on('change', () => {
      storeStep(step, this.isChecked);
      onCheck();
    });
    this.toggle = $(
      '<button type="button" class="cloud-drive-toggle"><i class="fa" aria-hidden="true"></i></button>',
    );
    this.toggle.attr({ 'aria-label': text, 'aria-controls': bodyId });
    this.toggle.on('click', () => (this.isExpanded ? this.collapse() : this.expand()));
    this.link = link(consoleUrl(STEPS[step], ''), text);
    // The user returns from Google's page to read what to enter there.
    this.link.on('click', () => this.expand());
    const icon = $('<i class="fa fa-external-link" aria-hidden="true">');
    this.body = $('<div>')
      .attr('id', bodyId)
      .append(hintText(sharedText(`guide.${step}_hint`), hintId));
    if (step === 'branding') this.body.append(brandingBlock());
    if (step === 'client') this.body.append(hintText(sharedText('guide.client_keep'), uniqueId()));
    const title = block('guide-step', this.checkbox, this.toggle, this.link.append(' ', icon));
    this.element = $('<li>').append(title, this.body);
    this.collapse();
  }

  get isChecked(): boolean {
    return this.checkbox.prop('checked') === true;
  }

  expand(): void {
    this.rows.forEach((row) => row.collapse());
    this.show(true);
  }

  update(clientId: string): void {
    this.link.attr('href', consoleUrl(STEPS[this.step], clientId));
  }

  private get isExpanded(): boolean {
    return this.toggle.attr('aria-expanded') === 'true';
  }

  private collapse(): void {
    this.show(false);
  }

  private show(isExpanded: boolean): void {
    this.toggle.attr('aria-expanded', String(isExpanded));
    this.toggle
      .children()
      .toggleClass('fa-caret-down', isExpanded)
      .toggleClass('fa-caret-right', !isExpanded);
    this.body.toggle(isExpanded);
  }
}

/** Without a repository, the user needs pages elsewhere. */
function brandingBlock(): JQuery {
  const rows = brandingValues(REPOSITORY_URL).map(([key, value]) => {
    const what = sharedText(`guide.${key}`);
    const copy = copyButton(value).attr('aria-label', sharedText('guide.copy', { what }));
    return block('value', $('<span>').text(what), $('<code>').text(value), copy);
  });
  return rows.length > 0 ? block('values', ...rows) : hintText(sharedText('guide.own_pages'), uniqueId());
}

function checkedSteps(): string[] {
  try {
    const stored: unknown = JSON.parse(window.localStorage.getItem(STORAGE_KEY) ?? '[]');
    return Array.isArray(stored) ? stored.map(String) : [];
  } catch {
    return [];
  }
}

/** If the browser forbids storage, the check marks last as long as the dialog. */
function storeStep(step: GuideStep, isChecked: boolean): void {
  const others = checkedSteps().filter((each) => each !== step);
  try {
    window.localStorage.setItem(STORAGE_KEY, JSON.stringify(isChecked ? [...others, step] : others));
  } catch {
    // The user can still follow the guide.
  }
}
