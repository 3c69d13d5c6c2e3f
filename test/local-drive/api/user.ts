/** The only user of the service. https://developers.google.com/workspace/drive/api/reference/rest/v3/User */
export const USER = {
  kind: 'drive#user',
  displayName: 'Local User',
  me: true,
  permissionId: '07394025384763027364',
  emailAddress: 'user@local-drive.example',
};
