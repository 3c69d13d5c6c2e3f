/** The HTML pages for the user: plain forms without scripts. */

const STYLE = `
  body { font: 16px/1.5 system-ui, sans-serif; background: #f4f5f7; color: #1f2430; margin: 0; }
  main { max-width: 26rem; margin: 12vh auto 0; padding: 2rem; background: #fff; border-radius: 10px;
    box-shadow: 0 1px 4px rgba(0, 0, 0, .15); }
  h1 { font-size: 1.3rem; margin: 0 0 1rem; }
  label { display: block; margin-bottom: .3rem; }
  input { font: 1.3rem ui-monospace, monospace; letter-spacing: .1em; width: 100%; box-sizing: border-box;
    padding: .5rem; border: 1px solid #b6bcc8; border-radius: 6px; }
  .buttons { display: flex; gap: .6rem; margin-top: 1.2rem; }
  button { font: inherit; padding: .5rem 1.2rem; border-radius: 6px; border: 1px solid #b6bcc8; background: #fff; cursor: pointer; }
  button[value=approve] { background: #1a5fb4; border-color: #1a5fb4; color: #fff; }
  .problem { color: #a51d2d; }
  code { overflow-wrap: anywhere; }`;

/** A complete page. `body` is HTML; escape external text with `escapeHtml`. */
export function page(title: string, body: string): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escapeHtml(title)}</title><style>${STYLE}</style></head>
<body><main><h1>${escapeHtml(title)}</h1>${body}</main></body></html>
`;
}

/** The page on which the user enters the code from the device. */
export function verificationPage(userCode: string, problem = ''): string {
  return page(
    'Connect a device',
    `${problem && `<p class="problem" role="alert">${escapeHtml(problem)}</p>`}
<form method="post">
<label for="user_code">Enter the code displayed on your device, exactly as shown</label>
<input id="user_code" name="user_code" value="${escapeHtml(userCode)}" autocomplete="off" spellcheck="false" required autofocus>
${BUTTONS}
</form>`,
  );
}

/** The consent page of the authorization code flow. @param form `picks`: whether the user chooses existing files, too */
export function consentPage(
  clientId: string,
  scope: string,
  { handle, picks }: { handle: string; picks: boolean },
): string {
  return page(
    'Allow access?',
    `<p>The application <code>${escapeHtml(clientId)}</code> asks for <code>${escapeHtml(scope)}</code>.</p>
<form method="post">
<input type="hidden" name="request" value="${escapeHtml(handle)}">
${picks ? PICKER : ''}
${BUTTONS}
</form>`,
  );
}

/** Stands for Google's picker. */
const PICKER = `<label for="picked">IDs of existing files to choose, separated by commas</label>
<input id="picked" name="picked" autocomplete="off" spellcheck="false">`;

const BUTTONS = `<div class="buttons"><button name="action" value="approve">Approve</button>
<button name="action" value="deny">Deny</button></div>`;

/** Escapes text for HTML content and quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
