/** An address as a picture that a telephone's camera reads. */
import { encode } from 'uqr';
import { sharedText } from '../../shared/editor/texts';
import type { Part } from './panel-parts.editor';

const SVG = 'http://www.w3.org/2000/svg';
/** Modules of white around it: ISO/IEC 18004 wants four. */
const QUIET_ZONE = 4;

/** Dark on white in every theme: many readers take nothing else. */
export function qrCode(address: string): Part {
  const { data, size } = encode(address, { ecc: 'M', border: QUIET_ZONE });
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
