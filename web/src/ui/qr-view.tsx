import { qrCode } from '../../../src/text/qr-code'

/** Cameras need a quiet zone of four modules around the code. */
const QUIET = 4

/** A QR code; black on white in every theme, as cameras expect it. */
export function QrView({ text, label }: { text: string; label: string }) {
  const rows = qrCode(text)
  const size = rows.length + 2 * QUIET
  const path = rows.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x + QUIET} ${y + QUIET}h1v1h-1z` : '')))
  return (
    <svg class="qr" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label} shape-rendering="crispEdges">
      <rect width={size} height={size} fill="#fff" />
      <path d={path.join('')} fill="#000" />
    </svg>
  )
}
