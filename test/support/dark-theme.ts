/** Colours as the dark themes of Node-RED have them: https://nodered.org/docs/api/ui/themes/ */
import type { Page } from 'playwright-core';

const COLOURS: Readonly<Record<string, string>> = {
  'primary-background': '#1e1e1e',
  'secondary-background': '#121212',
  'secondary-background-hover': '#2b2b2b',
  'secondary-background-selected': '#222',
  'tertiary-background': '#1a1a1a',
  'primary-text-color': '#ccc',
  'secondary-text-color': '#999',
  'secondary-text-color-active': '#bbb',
  'text-color-error': '#ad1625',
  'text-color-success': '#3a3',
  'text-color-link': '#08c',
  'primary-border-color': '#3a3a3a',
  'secondary-border-color': '#4a4a4a',
  'form-background': '#121212',
  'form-text-color': '#ccc',
  'form-placeholder-color': '#777',
  'form-input-background': '#121212',
  'form-input-border-color': '#444',
  'form-button-background': '#222',
  'list-item-color': '#ccc',
  'list-item-secondary-color': '#999',
  'list-item-background': '#121212',
  'workspace-button-background': '#1e1e1e',
  'workspace-button-background-hover': '#2b2b2b',
  'workspace-button-color': '#bbb',
  'workspace-button-color-hover': '#bbb',
};

export async function darken(page: Page): Promise<void> {
  const rules = Object.entries(COLOURS).map(([name, colour]) => `--red-ui-${name}: ${colour};`);
  await page.addStyleTag({ content: `:root { ${rules.join(' ')} }` });
}
