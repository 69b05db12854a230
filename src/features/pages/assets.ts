// Files that our own pages load: scripts, styles and icons, and uPlot's.

import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { type Assets, assetsOf } from '../../http/server/asset-files.ts'

export type { Assets }

const scripts = [
  new URL('./assets/theme.ts', import.meta.url),
  new URL('./assets/status.ts', import.meta.url),
  new URL('./assets/explore.ts', import.meta.url),
  new URL('./assets/explore-tabs.ts', import.meta.url),
  new URL('./assets/findings.ts', import.meta.url),
  new URL('./assets/server-tab.ts', import.meta.url),
  new URL('./assets/moderation.ts', import.meta.url),
  new URL('./assets/slow.ts', import.meta.url),
  new URL('./assets/videos.ts', import.meta.url),
  new URL('./assets/chart-scale.ts', import.meta.url),
  new URL('./assets/charts.ts', import.meta.url),
  new URL('./assets/copy.ts', import.meta.url),
  new URL('./assets/dom.ts', import.meta.url),
  new URL('./assets/draws.ts', import.meta.url),
  new URL('./assets/strip-of-draws.ts', import.meta.url),
  new URL('./assets/members.ts', import.meta.url),
  new URL('./assets/membership.ts', import.meta.url),
  new URL('./assets/operator.ts', import.meta.url),
  new URL('./assets/overview.ts', import.meta.url),
  new URL('./assets/person.ts', import.meta.url),
  new URL('./assets/presence.ts', import.meta.url),
  new URL('./assets/proof-graph.ts', import.meta.url),
  new URL('./assets/read.ts', import.meta.url),
  new URL('./assets/read-link.ts', import.meta.url),
  new URL('./assets/read-post.ts', import.meta.url),
  new URL('./assets/read-profile.ts', import.meta.url),
  new URL('./assets/text-width.ts', import.meta.url),
]
const styles = [
  new URL('./assets/page.css', import.meta.url),
  new URL('./assets/read.css', import.meta.url),
]
const images = [
  new URL('./assets/icon.svg', import.meta.url),
  new URL('./assets/icon-away.svg', import.meta.url),
]

/** Browsers cannot resolve packages, so uPlot is served beside our own scripts. */
const UPLOT_SCRIPT = 'uplot.js'
const UPLOT_STYLE = 'uplot.css'

/** Made once per thread. */
export const loadAssets = assetsOf(() => {
  const uplot = dirname(createRequire(import.meta.url).resolve('uplot'))
  const own = [...scripts, ...styles, ...images]
  return {
    path: '/page/assets',
    files: new Map<string, URL | string>([
      ...own.map((url) => [nameOf(url), url] as const),
      [UPLOT_SCRIPT, join(uplot, 'uPlot.esm.js')],
      [UPLOT_STYLE, join(uplot, 'uPlot.min.css')],
    ]),
    imports: { uplot: `./${UPLOT_SCRIPT}` },
  }
})

function nameOf(url: URL): string {
  return url.pathname.split('/').at(-1)!
}
