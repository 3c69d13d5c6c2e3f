/** The account in the editor: service, client credentials and sign-in. */
import { openChangedSection } from '../shared/editor/fields';
import { ACCOUNT_CREDENTIALS, ACCOUNT_DEFAULTS, URL_PROPERTIES } from '../shared/contract/account-config';
import { defineNode, editorDefaults } from '../shared/editor/node-definitions';
import { fillMissingFields, layOutForm, showFieldErrors } from '../shared/editor/prepare-dialog';
import { sharedText } from '../shared/editor/shared-text';
import { above, atLeast } from '../shared/editor/validators';
import { accountValue, initAuthChoice } from './panel/account-fields.editor';
import { cancelStoredSignIn } from './panel/background-sign-in.editor';
import { initClientGuide } from './panel/client-guide.editor';
import { DialogSteps } from './panel/dialog-steps.editor';
import { initClientJsonField, initTokenJsonField, removePastedTokens } from './panel/json-fields.editor';
import { initScopeChoice } from './panel/scope-choice.editor';
import {
  customBaseUrl,
  customText,
  customUrl,
  serviceName,
  showServiceRows,
  tokenUrl,
} from './panel/service-rows.editor';
import { SharedDriveChoice } from './panel/shared-drive-choice.editor';
import { SignInMethodChoice } from './panel/sign-in-methods.editor';
import { SignInPanel } from './panel/sign-in-panel.editor';
import { isSignedIn, markUnsignedAccounts } from './unsigned-accounts.editor';

/** The panel of the open dialog. The editor opens the dialog of one account at a time. */
let panel: SignInPanel | undefined;
let sharedDrives: SharedDriveChoice | undefined;
/** Whether the tokens on the server have changed since the dialog was opened. */
let tokensChanged = false;

defineNode('cloud-drive-account', {
  category: 'config',
  icon: 'cloud-drive-account.svg',
  defaults: editorDefaults(ACCOUNT_DEFAULTS, {
    baseUrl: customBaseUrl('required'),
    uploadUrl: customBaseUrl('optional'),
    tokenUrl,
    deviceUrl: customUrl('optional'),
    authUrl: customUrl('optional'),
    revokeUrl: customUrl('optional'),
    scope: customText,
    requestsPerSecond: above(0),
    maxTransfers: atLeast(1, 'whole'),
    retryFor: atLeast(0),
    timeout: above(0),
    bandwidth: atLeast(0),
    signedInAt: isSignedIn,
  }),
  credentials: ACCOUNT_CREDENTIALS,
  paletteLabel() {
    return sharedText('label');
  },
  label() {
    return this.name || serviceName(this);
  },
  oneditprepare() {
    fillMissingFields(this, 'node-config-input');
    layOutForm('#node-config-dialog-edit-form');
    showServiceRows(this.id);
    const methods = new SignInMethodChoice();
    const steps = new DialogSteps();
    initClientGuide();
    initClientJsonField((method) => {
      methods.preselect(method);
      $('#cloud-drive-guide').prop('open', false);
      steps.focusNext();
    });
    initTokenJsonField();
    initAuthChoice(() => void panel?.open());
    initScopeChoice(() => {
      steps.update();
      methods.update();
    });
    sharedDrives = new SharedDriveChoice(this.id);
    openPanel(this, methods, steps);
    // `change` alone comes with the click on a button, which then moves from under the mouse.
    $(SIGN_IN_PROPERTIES.map((property) => `#node-config-input-${property}`).join()).on('change input', () =>
      panel?.settingsChanged(),
    );
    steps.focusFirstStep();
    // The client JSON contains the token URL.
    openChangedSection(this, 'node-config-input', ['tokenUrl']);
    showFieldErrors(this, 'config');
  },
  oneditsave() {
    // Tokens pasted earlier but not deployed yet would replace those on the server with the next deploy.
    if (tokensChanged) {
      delete this.credentials?.['refreshToken'];
      delete this.credentials?.['accessToken'];
    }
    closePanel(false);
  },
  oneditcancel() {
    closePanel(true);
  },
  oneditdelete() {
    closePanel(true);
  },
});

markUnsignedAccounts();
RED.events.on('nodes:remove', ({ id, type }: EditorNode) => {
  if (type === 'cloud-drive-account') cancelStoredSignIn(id);
});

function openPanel(node: EditorNode, methods: SignInMethodChoice, steps: DialogSteps): void {
  tokensChanged = false;
  const opened = JSON.stringify(signInSettings());
  panel = new SignInPanel({
    element: $('#cloud-drive-sign-in'),
    accountId: node.id,
    methods,
    settings: signInSettings,
    isDeployed: () => !node.changed && JSON.stringify(signInSettings()) === opened,
    onChange: (signedInAt) => {
      tokensChanged = true;
      removePastedTokens();
      $('#node-config-input-signedInAt').val(signedInAt);
    },
    onState: (account, hasEnded) => {
      steps.setSignedIn(account.signedIn, hasEnded);
      sharedDrives?.setAccount(account);
    },
  });
  void panel.open();
}

function closePanel(isCancelled: boolean): void {
  panel?.close(isCancelled);
  panel = undefined;
  sharedDrives?.close();
  sharedDrives = undefined;
  showServiceRows(undefined);
}

/** The drive picker and the search test use these values until the account is deployed. */
const SIGN_IN_PROPERTIES = [
  'service',
  'auth',
  ...URL_PROPERTIES,
  'folderMimeType',
  'scope',
  'driveId',
  'clientId',
  'clientSecret',
  'serviceAccountKey',
  'subject',
];

/** A secret that is stored on the server is represented by `__PWRD__`. */
function signInSettings(): Record<string, string> {
  return Object.fromEntries(SIGN_IN_PROPERTIES.map((property) => [property, accountValue(property)]));
}
