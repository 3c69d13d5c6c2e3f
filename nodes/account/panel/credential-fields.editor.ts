/**
 * The fields that take a record: pasted, dropped or chosen as a file. What was read goes where it belongs and the text
 * is taken out of the page at once; what can't be read is said beside the field.
 */
import { type ClientRecord, type ClientWay, readClientRecord } from '../../shared/editor/client-json';
import { sharedText } from '../../shared/editor/texts';
import { readTokenRecord } from '../../shared/editor/token-json';

/** Records are a few hundred bytes. */
const LARGEST_FILE = 64 * 1024;

/** @returns what was taken over, or what is wrong */
type Take = (text: string) => { taken: string } | { problem: string };

/**
 * The client credentials record fills the fields below it, and of a service that has its own the addresses it names.
 * @param onTaken told how the client signs in, where the record says so
 */
export function clientRecordField(onTaken: (way: ClientWay | undefined) => void): void {
  const service = $('#node-config-input-service');
  let authUrl = '';
  const read = recordField('record', (text) => {
    const record = readClientRecord(text);
    if (typeof record === 'string') return { problem: sharedText(`record.${record}`) };
    fill('clientId', record.clientId);
    fill('clientSecret', record.clientSecret);
    // Also where the record names none: the secret must not go to the server of the client before it.
    fill('tokenUrl', record.tokenUrl);
    ({ authUrl } = record);
    const isCustom = service.val() === 'custom';
    if (isCustom && authUrl !== '') fill('authUrl', authUrl);
    onTaken(record.way);
    return { taken: takenText(record, isCustom) };
  });
  // The preset has a page of its own; what is pasted first and chosen then must do as well.
  service.on('change', () => {
    const isEmpty = $('#node-config-input-authUrl').val() === '';
    if (service.val() === 'custom' && isEmpty && authUrl !== '') fill('authUrl', authUrl);
  });
  fileButton('record');
  pasteAnywhere(read);
}

/** Names the addresses where they are in sight. */
function takenText({ clientId, tokenUrl, authUrl }: ClientRecord, isCustom: boolean): string {
  const filled = [
    ...(tokenUrl === '' ? [] : [sharedText('form.token_url')]),
    ...(authUrl === '' ? [] : [sharedText('form.auth_url')]),
  ];
  if (!isCustom || filled.length === 0) return sharedText('record.taken', { client: clientId });
  return sharedText('record.taken_with', { client: clientId, fields: filled.join(', ') });
}

/** A record is taken wherever in the dialog it is pasted: no other field has use for one. */
function pasteAnywhere(read: (text: string) => void): void {
  $('#cloud-drive-record')
    .closest('form')
    .on('paste', (event) => {
      const text = (event.originalEvent as ClipboardEvent).clipboardData?.getData('text/plain') ?? '';
      if ($(event.target).is('textarea') || typeof readClientRecord(text) === 'string') return;
      event.preventDefault();
      read(text);
    });
}

/** A token record becomes credentials of the node. */
export function tokenRecordField(): void {
  recordField('token', (text) => {
    const record = readTokenRecord(text, Date.now());
    if (typeof record === 'string') return { problem: sharedText(`record.${record}`) };
    if ('error' in record) return { problem: sharedText('record.token_error', { error: record.error }) };
    const { refreshToken, accessToken } = record;
    tokenInput('refreshToken', refreshToken);
    tokenInput('accessToken', accessToken);
    const what =
      refreshToken && accessToken ? 'both_tokens' : refreshToken ? 'refresh_token' : 'access_token';
    return { taken: sharedText('record.token_taken', { what: sharedText(`record.${what}`) }) };
  });
}

/** What a sign-in on the server brought must not be overwritten by a token that was pasted before. */
export function dropPastedTokens(): void {
  $('#node-config-input-refreshToken, #node-config-input-accessToken').remove();
  $('#cloud-drive-token-message').empty();
}

/** The editor deletes a credential whose input is empty, so a token has an input only once one was pasted. */
function tokenInput(name: string, value: string): void {
  $(`#node-config-input-${name}`).remove();
  $('<input type="password" autocomplete="off" style="display: none;">')
    .attr('id', `node-config-input-${name}`)
    .val(value)
    .insertAfter('#cloud-drive-token');
}

function fill(name: string, value: string): void {
  $(`#node-config-input-${name}`).val(value).trigger('change');
}

/** @returns what reads a text as if it had been put into the field */
function recordField(name: string, take: Take): (text: string) => void {
  const field = $(`#cloud-drive-${name}`);
  const read = (text: string): void => {
    if (text.trim() === '') return say(name, '');
    const result = take(text);
    if ('problem' in result) return say(name, result.problem, 'bad');
    field.val('');
    say(name, result.taken, 'good');
  };
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

function fileButton(name: string): void {
  const input = $(`#cloud-drive-${name}-file`);
  $(`#cloud-drive-${name}-choose`).on('click', () => void input.trigger('click'));
  input.on('change', () => {
    const file = (input[0] as HTMLInputElement).files?.[0];
    if (file) void readFile(name, file, (text) => $(`#cloud-drive-${name}`).val(text).trigger('change'));
    // The same file can be chosen again.
    input.val('');
  });
}

async function readFile(name: string, file: File, read: (text: string) => void): Promise<void> {
  if (file.size > LARGEST_FILE) return say(name, sharedText('record.too_large'), 'bad');
  try {
    read(await file.text());
  } catch {
    say(name, sharedText('record.unreadable'), 'bad');
  }
}

function say(name: string, text: string, kind?: 'good' | 'bad'): void {
  $(`#cloud-drive-${name}-message`)
    .text(text)
    .toggleClass('cloud-drive-good', kind === 'good')
    .toggleClass('cloud-drive-bad', kind === 'bad');
}
