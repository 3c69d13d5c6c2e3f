/** The one person whose drive this is. https://developers.google.com/workspace/drive/api/reference/rest/v3/User */
export const THE_PERSON = {
  kind: 'drive#user',
  displayName: 'Local Person',
  me: true,
  permissionId: '07394025384763027364',
  emailAddress: 'person@local-drive.example',
};
