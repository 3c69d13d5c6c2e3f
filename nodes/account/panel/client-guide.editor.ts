/**
 * The guide to a client of one's own at Google, shown while the account has none. Which steps are checked is remembered
 * in this browser only: creating the client takes several visits to other pages.
 */
import { sharedText } from '../../shared/editor/shared-text';
import { type ConsolePage, consoleUrl } from './google-console.editor';
import { block, copyButton, hintText, link, uniqueId } from './panel-elements.editor';

/** The web page of the project's repository, set by `scripts/build.mjs`. */
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
  const steps = Object.keys(STEPS) as GuideStep[];
  const rows = steps.map((step) => new GuideRow(step));
  $('#cloud-drive-guide')
    .prop('open', clientId.val() === '')
    .append(
      $('<p class="cloud-drive-hint">').text(sharedText('guide.intro')),
      $('<ol class="cloud-drive-guide-steps">').append(...rows.map(({ element }) => element)),
    );
  const update = (): void => rows.forEach((row) => row.update(String(clientId.val())));
  clientId.on('change input', update);
  update();
}

class GuideRow {
  readonly element: JQuery;
  private readonly link: JQuery;

  constructor(private readonly step: GuideStep) {
    const [id, hintId] = [uniqueId(), uniqueId()];
    const text = sharedText(`guide.${step}`);
    const checkbox = $('<input type="checkbox">').attr({
      id,
      'aria-label': text,
      'aria-describedby': hintId,
    });
    checkbox.prop('checked', checkedSteps().includes(step));
    checkbox.on('change', () => storeStep(step, checkbox.prop('checked') === true));
    this.link = link(consoleUrl(STEPS[step], ''), text);
    const icon = $('<i class="fa fa-external-link" aria-hidden="true">');
    const label = $('<label>').attr('for', id).append(this.link.append(' ', icon));
    const contents = $('<div>').append(label);
    contents.append(hintText(sharedText(`guide.${step}_hint`), hintId));
    if (step === 'branding') contents.append(brandingValues());
    this.element = $('<li>').append(block('option', checkbox, contents));
  }

  update(clientId: string): void {
    this.link.attr('href', consoleUrl(STEPS[this.step], clientId));
  }
}

/** What Google's page asks for: the pages of this project, whose privacy policy describes what the client does. */
function brandingValues(): JQuery {
  const values = [
    ['domain', new URL(REPOSITORY_URL).hostname],
    ['home_page', REPOSITORY_URL],
    ['privacy', `${REPOSITORY_URL}/blob/main/PRIVACY.md`],
  ] as const;
  const rows = values.map(([key, value]) => {
    const what = sharedText(`guide.${key}`);
    const copy = copyButton(value).attr('aria-label', sharedText('guide.copy', { what }));
    return block('value', $('<span>').text(what), $('<code>').text(value), copy);
  });
  return block('values', ...rows);
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
