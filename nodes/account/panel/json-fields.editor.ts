/**
 * The fields for the client JSON and the token JSON: pasted, dropped or selected as a file. The values are moved to
 * where they belong and the JSON is removed from the page. If it can't be used, the reason is shown below the field.
 */
import {
  type ClientJson,
  type ClientSignInMethod,
  parseClientJson,
  parseServiceAccountJson,
  parseTokenJson,
} from './pasted-json';
import { type SharedTextKey, sharedText } from '../../shared/editor/shared-text';
import { derivedUrl } from './service-rows.editor';
import { accountField, accountValue, isCustomService, selectAuth } from './account-fields.editor';
import { block, button, copyButton, paragraph } from './panel-elements.editor';

/** https://developers.google.com/identity/protocols/oauth2/limited-input-device */
const GOOGLE_TOKEN_URL = 'https://oauth2.googleapis.com/token';
/** Bytes. Real files have a few hundred. */
const MAX_FILE_SIZE = 64 * 1024;

const SETTING_LABELS: Readonly<Record<string, SharedTextKey>> = {
  baseUrl: 'form.base_url',
  deviceUrl: 'form.device_url',
  revokeUrl: 'form.revoke_url',
  scope: 'form.scope',
  folderMimeType: 'form.folder_mime_type',
};

/** Ids of the fields, without the prefix `cloud-drive-`. */
type JsonField = 'client-json' | 'token-json' | 'key-json';

/** Uses the JSON. @returns a message for the user */
type JsonReader = (text: string) => { success: string } | { problem: string };

/**
 * The client JSON fills the fields for the client; for a custom service, the URLs as well.
 * @param onRead called with the sign-in method for the type of the client, if the JSON says it
 */
export function initClientJsonField(onRead: (method: ClientSignInMethod | undefined) => void): void {
  let authUrl = '';
  const read = initJsonField('client-json', (text) => {
    if (isKeyJson(text)) return takeKey(text);
    const client = parseClientJson(text);
    if (typeof client === 'string') return { problem: sharedText(`record.${client}`) };
    // Only the JSON of another service names its URL.
    if (client.settings['baseUrl'] !== undefined) fill('service', 'custom');
    fill('clientId', client.clientId);
    fill('clientSecret', client.clientSecret);
    // Also if it is empty: the secret must not be sent to the token URL of another client.
    fill('tokenUrl', client.tokenUrl);
    ({ authUrl } = client);
    const isCustom = isCustomService();
    if (isCustom && authUrl !== '') fill('authUrl', authUrl);
    if (isCustom) for (const [property, value] of Object.entries(client.settings)) fill(property, value);
    if (isCustom && client.tokenUrl === '') fill('tokenUrl', derivedUrl('tokenUrl'));
    onRead(client.signInMethod);
    if (!isCustom) setTimeout(() => offerService(client.tokenUrl));
    return { success: successText(client, isCustom) };
  });
  // Google Drive has its own authorization URL. The service may be selected after the JSON was pasted.
  accountField('service').on('change', () => {
    if (isCustomService() && accountValue('authUrl') === '' && authUrl !== '') fill('authUrl', authUrl);
  });
  initFileButton('client-json');
  readPastedAnywhere(read);
  initKeyJsonField(read);
}

/** The key of a service account becomes a credential. Another JSON selects what it belongs to. */
function initKeyJsonField(readClient: (text: string) => void): void {
  initJsonField('key-json', (text) => {
    const isClient = typeof parseClientJson(text) !== 'string';
    if (!isClient) return takeKey(text);
    selectAuth('user');
    readClient(text);
    return { success: '' };
  });
  initFileButton('key-json');
  accountField('serviceAccountKey').on('input', () => showMessage('key-json', ''));
}

function isKeyJson(text: string): boolean {
  return parseServiceAccountJson(text) !== 'no_json' && parseServiceAccountJson(text) !== 'key_type';
}

function takeKey(text: string): { success: string } | { problem: string } {
  const key = parseServiceAccountJson(text);
  if (typeof key === 'string') return { problem: sharedText(`record.${key}`) };
  fill('serviceAccountKey', key.json);
  selectAuth('service-account');
  const success = sharedText('record.key_taken', { account: key.account });
  // Also if it was dropped on the field for the client, which is no longer visible.
  showMessage('key-json', success, 'good');
  const copy = copyButton(key.account, sharedText('panel.copy_address')).addClass('red-ui-button-small');
  $('#cloud-drive-key-json-message').append(' ', copy);
  return { success: '' };
}

/** Offers to use the service of a client that isn't Google's, in place of entering its URLs. */
function offerService(tokenUrl: string): void {
  const { origin, host, hostname } = new URL(tokenUrl || GOOGLE_TOKEN_URL);
  if (/(?:^|\.)(?:google|googleapis)\.com$/.test(hostname)) return;
  const use = button('cloud', sharedText('record.use_service', { host }), () => {
    fill('service', 'custom');
    fill('baseUrl', origin);
    offer.remove();
    accountField('scope').trigger('focus');
  });
  const offer = block('offer', paragraph(sharedText('record.other_service', { host })), use);
  $('#cloud-drive-client-json-message').append(offer);
  use.trigger('focus');
}

/** Names the URLs that were filled in, if their fields are visible. */
function successText({ clientId, tokenUrl, authUrl, settings }: ClientJson, isCustom: boolean): string {
  const filled = [
    ...(tokenUrl === '' ? [] : [sharedText('form.token_url')]),
    ...(authUrl === '' ? [] : [sharedText('form.auth_url')]),
    ...Object.keys(settings).map((property) => sharedText(SETTING_LABELS[property])),
  ];
  if (!isCustom || filled.length === 0) return sharedText('record.taken', { client: clientId });
  return sharedText('record.taken_with', { client: clientId, fields: filled.join(', ') });
}

/** A client JSON is read wherever in the dialog it is pasted: it makes no sense in any other field. */
function readPastedAnywhere(read: (text: string) => void): void {
  $('#cloud-drive-client-json')
    .closest('form')
    .on('paste', (event) => {
      const text = (event.originalEvent as ClipboardEvent).clipboardData?.getData('text/plain') ?? '';
      const isJson = isKeyJson(text) || typeof parseClientJson(text) !== 'string';
      if ($(event.target).is('textarea') || !isJson) return;
      event.preventDefault();
      read(text);
    });
}

/** The token JSON becomes credentials of the node. */
export function initTokenJsonField(): void {
  initJsonField('token-json', (text) => {
    if (isKeyJson(text)) return takeKey(text);
    const tokens = parseTokenJson(text, Date.now());
    if (typeof tokens === 'string') return { problem: sharedText(`record.${tokens}`) };
    if ('error' in tokens) return { problem: sharedText('record.token_error', { error: tokens.error }) };
    const { refreshToken, accessToken } = tokens;
    addTokenInput('refreshToken', refreshToken);
    addTokenInput('accessToken', accessToken);
    const what =
      refreshToken && accessToken ? 'both_tokens' : refreshToken ? 'refresh_token' : 'access_token';
    return { success: sharedText('record.token_taken', { what: sharedText(`record.${what}`) }) };
  });
}

/** Removes pasted tokens, which would replace those of a later sign-in. */
export function removePastedTokens(): void {
  $('#node-config-input-refreshToken, #node-config-input-accessToken').remove();
  $('#cloud-drive-token-json-message').empty();
}

/** Added only when a token was pasted, because the editor deletes credentials whose inputs are empty. */
function addTokenInput(name: string, value: string): void {
  accountField(name).remove();
  $('<input type="password" autocomplete="off" style="display: none;">')
    .attr('id', `node-config-input-${name}`)
    .val(value)
    .insertAfter('#cloud-drive-token-json');
}

function fill(property: string, value: string): void {
  accountField(property).val(value).trigger('change');
}

/** @returns a function that reads a text as if it were pasted into the field */
function initJsonField(name: JsonField, readJson: JsonReader): (text: string) => void {
  const field = $(`#cloud-drive-${name}`);
  const read = (text: string): void => {
    if (text.trim() === '') return showMessage(name, '');
    // Reading moves the focus, which triggers `change` with the text that is still in the field.
    field.val('');
    const result = readJson(text);
    if ('problem' in result) {
      field.val(text);
      return showMessage(name, result.problem, 'bad');
    }
    if (result.success !== '') showMessage(name, result.success, 'good');
  };
  // The value changes after the paste event.
  field.on('paste', () => void setTimeout(() => read(String(field.val()))));
  field.on('change', () => read(String(field.val())));
  field.on('dragover', () => void field.addClass('cloud-drive-drop'));
  field.on('dragleave drop', () => void field.removeClass('cloud-drive-drop'));
  field.on('drop', (event) => {
    const file = event.originalEvent?.dataTransfer?.files[0];
    if (!file) return;
    event.preventDefault();
    void readFile(name, file, read);
  });
  return read;
}

function initFileButton(name: JsonField): void {
  const input = $(`#cloud-drive-${name}-file`);
  $(`#cloud-drive-${name}-choose`).on('click', () => void input.trigger('click'));
  input.on('change', () => {
    const file = (input[0] as HTMLInputElement).files?.[0];
    if (file) void readFile(name, file, (text) => $(`#cloud-drive-${name}`).val(text).trigger('change'));
    // Otherwise selecting the same file again would not trigger `change`.
    input.val('');
  });
}

async function readFile(name: JsonField, file: File, read: (text: string) => void): Promise<void> {
  if (file.size > MAX_FILE_SIZE) return showMessage(name, sharedText('record.too_large'), 'bad');
  try {
    read(await file.text());
  } catch {
    showMessage(name, sharedText('record.unreadable'), 'bad');
  }
}

function showMessage(name: JsonField, text: string, style?: 'good' | 'bad'): void {
  $(`#cloud-drive-${name}-message`)
    .text(text)
    .toggleClass('cloud-drive-good', style === 'good')
    .toggleClass('cloud-drive-bad', style === 'bad');
}
