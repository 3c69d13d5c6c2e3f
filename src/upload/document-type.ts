/** The Google documents that an upload can be converted to. */

export const CONVERSIONS = ['document', 'spreadsheet', 'presentation'] as const;
export type Conversion = (typeof CONVERSIONS)[number];

/** The MIME type of the document that a conversion creates. */
export function convertedType(conversion: Conversion): string {
  return `application/vnd.google-apps.${conversion}`;
}
