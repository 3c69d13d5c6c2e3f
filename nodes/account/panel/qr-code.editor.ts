/** A URL as a QR code (ISO/IEC 18004). */
import { encode } from 'uqr';
import { sharedText } from '../../shared/editor/shared-text';

const SVG = 'http://www.w3.org/2000/svg';
/** Width of the white margin in modules, required by ISO/IEC 18004. */
const QUIET_ZONE = 4;

/** Dark on white in every theme, because many readers don't recognize inverted codes. */
export function qrCode(url: string): JQuery {
  const { data, size } = encode(url, { ecc: 'M', border: QUIET_ZONE });
  const path = document.createElementNS(SVG, 'path');
  path.setAttribute('d', squares(data));
  const svg = document.createElementNS(SVG, 'svg');
  svg.setAttribute('viewBox', `0 0 ${size} ${size}`);
  svg.setAttribute('role', 'img');
  svg.setAttribute('aria-label', sharedText('panel.qr_code'));
  svg.setAttribute('class', 'cloud-drive-qr');
  svg.setAttribute('shape-rendering', 'crispEdges');
  svg.append(path);
  return $(svg as unknown as HTMLElement);
}

function squares(rows: boolean[][]): string {
  return rows.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : ''))).join('');
}
