/** What search files asks of a file besides its name: when it was modified, how large it is, of which kind. */
import type { SearchRequest } from '../../../src/index';
import type { SearchFilesConfig } from './search-files-config';
import type { Inputs } from './inputs';
import { parseTime } from '../contract/parse-time';

type Conditions = Pick<
  SearchRequest,
  'modifiedAfter' | 'modifiedBefore' | 'minSize' | 'maxSize' | 'mimeType' | 'recursive' | 'maxDepth' | 'sort'
>;

/** @param now milliseconds since 1970. @throws `invalid_input` naming the setting */
export function conditions(config: SearchFilesConfig, inputs: Inputs, now: number): Conditions {
  const time = (property: 'modifiedAfter' | 'modifiedBefore'): number | undefined => {
    const text = String(config[property]).trim();
    if (text === '') return undefined;
    const found = parseTime(text, now);
    if (found === undefined) throw inputs.invalid('invalid_input_time', property, text);
    return found;
  };
  const bytes = (property: 'minSize' | 'maxSize'): number | undefined =>
    String(config[property]).trim() === '' ? undefined : inputs.count(property);
  const sort = inputs.oneOf('sort', ['', 'newest', 'oldest', 'name', 'largest']);
  return given({
    modifiedAfter: time('modifiedAfter'),
    modifiedBefore: time('modifiedBefore'),
    minSize: bytes('minSize'),
    maxSize: bytes('maxSize'),
    mimeType: String(config.mimeType).trim(),
    recursive: config.recursive === true,
    // Upwards: less than one must not become 0, which has no limit.
    maxDepth: Math.ceil(inputs.count('maxDepth')),
    sort: sort === '' ? undefined : sort,
  });
}

/** Without the members that are undefined. */
function given<T extends object>(object: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  const members = Object.entries(object).filter(([, value]) => value !== undefined);
  return Object.fromEntries(members) as { [K in keyof T]: Exclude<T[K], undefined> };
}
