/**
 * The URLs of the `google` preset.
 * https://developers.google.com/identity/protocols/oauth2/limited-input-device
 * https://developers.google.com/workspace/drive/api/reference/rest/v3
 */
export const GOOGLE_PRESET = {
  baseUrl: 'https://www.googleapis.com',
  uploadUrl: 'https://www.googleapis.com',
  tokenUrl: 'https://oauth2.googleapis.com/token',
  deviceUrl: 'https://oauth2.googleapis.com/device/code',
  authUrl: 'https://accounts.google.com/o/oauth2/v2/auth',
  revokeUrl: 'https://oauth2.googleapis.com/revoke',
  folderMimeType: 'application/vnd.google-apps.folder',
  /** The widest scope that the device flow grants: access to files that this app creates. */
  scope: 'https://www.googleapis.com/auth/drive.file',
} as const;
