/**
 * @returns what is equal for names that differ only in case or in the form of Unicode: many disks take them for one,
 *   and so do searches
 */
export function foldName(name: string): string {
  // Upper case, then lower case: ß, ſ and the Kelvin sign have a common form in one of them only.
  return name.normalize('NFC').toUpperCase().toLowerCase().normalize('NFC');
}
