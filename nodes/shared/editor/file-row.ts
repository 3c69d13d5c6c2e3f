/**
 * How a file looks in a list: icon, name, size, date. Names come from the service, so they are inserted as text, never
 * as HTML.
 */
import type { ListedFile } from '../contract/dialog-api';
import { formatSize, formatTime } from './format';

/** Icons by prefix of the MIME type; the longest matching prefix counts. Google's editors use vnd.google-apps. */
const ICONS: Readonly<Record<string, string>> = {
  'application/gzip': 'file-archive-o',
  'application/java-archive': 'file-archive-o',
  'application/json': 'file-code-o',
  'application/msword': 'file-word-o',
  'application/pdf': 'file-pdf-o',
  'application/vnd.google-apps.document': 'file-word-o',
  'application/vnd.google-apps.drawing': 'file-image-o',
  'application/vnd.google-apps.form': 'check-square-o',
  'application/vnd.google-apps.presentation': 'file-powerpoint-o',
  'application/vnd.google-apps.shortcut': 'external-link',
  'application/vnd.google-apps.spreadsheet': 'file-excel-o',
  'application/vnd.ms-excel': 'file-excel-o',
  'application/vnd.ms-powerpoint': 'file-powerpoint-o',
  'application/vnd.openxmlformats-officedocument.presentationml': 'file-powerpoint-o',
  'application/vnd.openxmlformats-officedocument.spreadsheetml': 'file-excel-o',
  'application/vnd.openxmlformats-officedocument.wordprocessingml': 'file-word-o',
  'application/x-7z-compressed': 'file-archive-o',
  'application/x-bzip': 'file-archive-o',
  'application/x-gzip': 'file-archive-o',
  'application/x-tar': 'file-archive-o',
  'application/x-xz': 'file-archive-o',
  'application/xml': 'file-code-o',
  'application/zip': 'file-archive-o',
  'application/zstd': 'file-archive-o',
  'audio/': 'file-audio-o',
  'image/': 'file-image-o',
  'text/': 'file-text-o',
  'text/html': 'file-code-o',
  'text/javascript': 'file-code-o',
  'video/': 'file-video-o',
};

/** Longest first. */
const PREFIXES = Object.keys(ICONS).sort((a, b) => b.length - a.length);

/** @returns classes of Font Awesome 4.7 */
export function fileIcon({ isFolder, mimeType }: Pick<ListedFile, 'isFolder' | 'mimeType'>): string {
  if (isFolder) return 'fa fa-folder';
  const prefix = PREFIXES.find((each) => mimeType.startsWith(each)) ?? '';
  return `fa fa-${ICONS[prefix] ?? 'file-o'}`;
}

/** Name, size and date in one row. */
export function fileRow(file: ListedFile): JQuery {
  const { name, size, modifiedTime, showsMinute, timeZone, mark = '' } = file;
  const row = $('<div class="cloud-drive-file">').append(
    $('<span class="cloud-drive-file-name">').text(name).attr('title', name),
  );
  if (mark !== '') row.append($('<span class="cloud-drive-file-mark">').text(mark));
  if (size !== undefined) row.append($('<span class="cloud-drive-file-size">').text(formatSize(size)));
  const time = modifiedTime ?? '';
  const shown = formatTime(time, showsMinute ? 'minute' : 'day', timeZone);
  if (shown !== '') {
    row.append(
      $('<time class="cloud-drive-file-time">')
        .toggleClass('cloud-drive-minute', showsMinute === true)
        .attr({ datetime: time, title: formatTime(time, 'full', timeZone) })
        .text(shown),
    );
  }
  return row;
}
