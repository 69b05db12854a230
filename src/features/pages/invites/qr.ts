import { encode } from 'uqr'
import { type Html, html } from '../../../http/server/html.ts'

/** @param title - its text alternative */
export function qrCode(text: string, title: string): Html {
  const { data, size } = encode(text, { ecc: 'M', border: 2 })
  const dark = data.flatMap((row, y) =>
    row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])),
  )
  return html`<svg class="qr" viewBox="0 0 ${size} ${size}" role="img" aria-label="${title}" shape-rendering="crispEdges">
<rect width="${size}" height="${size}" fill="#fff"/><path fill="#111" d="${dark.join('')}"/></svg>`
}
