/** The account in the editor: service, client credentials, sign-in. */
import { showDefaults } from '../shared/editor/definition';
import { fitLabels } from '../shared/editor/fit-labels';
import { sharedText } from '../shared/editor/texts';
import { numberAbove, numberFrom } from '../shared/editor/validators';
import {
  customAddress,
  customRoot,
  customText,
  serviceName,
  serviceRows,
  tokenAddress,
} from './panel/service-rows.editor';
import { clientRecordField, dropPastedTokens, tokenRecordField } from './panel/credential-fields.editor';
import { scopeChoice } from './panel/scope-choice.editor';
import { giveUp } from './panel/background-sign-in.editor';
import { SignInPanel } from './panel/sign-in-panel.editor';
import { SignInWays } from './panel/sign-in-ways.editor';
import { Steps } from './panel/steps.editor';

/** The dialog that is open: the editor opens one of an account at a time. */
let panel: SignInPanel | undefined;
/** Whether the server has had newer tokens than the editor since the dialog was opened. */
let tokensAreOnServer = false;

RED.nodes.registerType('cloud-drive-account', {
  category: 'config',
  icon: 'cloud-drive-account.svg',
  defaults: {
    name: { value: '' },
    service: { value: 'google' },
    baseUrl: { value: '', validate: customRoot('required') },
    uploadUrl: { value: '', validate: customRoot('optional') },
    tokenUrl: { value: '', validate: tokenAddress },
    deviceUrl: { value: '', validate: customAddress('optional') },
    authUrl: { value: '', validate: customAddress('optional') },
    revokeUrl: { value: '', validate: customAddress('optional') },
    folderMimeType: { value: '' },
    scope: { value: '', validate: customText },
    driveId: { value: '' },
    requestsPerSecond: { value: 10, validate: numberAbove(0) },
    maxTransfers: { value: 4, validate: numberFrom(1, 'whole') },
    retryFor: { value: 300, validate: numberFrom(0) },
    timeout: { value: 30, validate: numberAbove(0) },
    bandwidth: { value: 0, validate: numberFrom(0) },
    signedInAt: { value: '' },
  },
  credentials: {
    clientId: { type: 'text' },
    clientSecret: { type: 'password' },
    refreshToken: { type: 'password' },
    accessToken: { type: 'password' },
  },
  paletteLabel() {
    return sharedText('label');
  },
  label() {
    return this.name || serviceName(this);
  },
  oneditprepare() {
    showDefaults(this, 'node-config-input');
    fitLabels('#node-config-dialog-edit-form');
    serviceRows(this.id);
    const ways = new SignInWays();
    const steps = new Steps();
    clientRecordField((way) => {
      ways.hint(way);
      steps.goOn();
    });
    tokenRecordField();
    scopeChoice(() => {
      steps.update();
      ways.update();
    });
    tokensAreOnServer = false;
    panel = new SignInPanel({
      element: $('#cloud-drive-sign-in'),
      id: this.id,
      ways,
      form: signInForm,
      onChange: (signedInAt) => {
        tokensAreOnServer = true;
        dropPastedTokens();
        $('#node-config-input-signedInAt').val(signedInAt);
      },
      onState: (signedIn, isOver) => steps.signedIn(signedIn, isOver),
    });
    void panel.open();
    steps.begin();
  },
  oneditsave() {
    // Tokens pasted in an earlier dialog and not deployed yet would go out with the next deploy.
    if (tokensAreOnServer) {
      delete this.credentials?.['refreshToken'];
      delete this.credentials?.['accessToken'];
    }
    close(false);
  },
  oneditcancel() {
    close(true);
  },
  oneditdelete() {
    close(true);
  },
});

RED.events.on('nodes:remove', ({ id, type }: EditorNode) => {
  if (type === 'cloud-drive-account') giveUp(id);
});

function close(isGivenUp: boolean): void {
  panel?.close(isGivenUp);
  panel = undefined;
  serviceRows(undefined);
}

const NAMES = [
  'service',
  'baseUrl',
  'uploadUrl',
  'tokenUrl',
  'deviceUrl',
  'authUrl',
  'revokeUrl',
  'scope',
  'clientId',
  'clientSecret',
];

/** A secret that is stored on the server stands here as `__PWRD__`. */
function signInForm(): Record<string, string> {
  return Object.fromEntries(
    NAMES.map((name) => [name, String($(`#node-config-input-${name}`).val() ?? '').trim()]),
  );
}
