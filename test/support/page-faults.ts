// What keeps anybody out of a page as it is in a browser now: by axe, and by what axe leaves open.

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import { lowContrasts, overflow } from './page-audit.ts'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** As small as a phone gets; also a small window at 200 %. */
export const NARROW = { width: 320, height: 640 }

export async function pageFaults(page: Page): Promise<string[]> {
  await page.evaluate(axe)
  const found = (await page.evaluate(
    `axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + ' ' + nodes[0].html.slice(0, 200)))`,
  )) as string[]
  const low = ((await page.evaluate(lowContrasts)) as string[]).filter(
    (value) => !value.startsWith('only'),
  )
  const wide = await page.evaluate(overflow)
  return [...found, ...low, ...(wide ? [`${wide} pixels too wide`] : [])]
}

/** The same in the light and, mirrored, in the dark. */
export async function pageFaultsBothWays(page: Page): Promise<string[]> {
  const found: string[] = []
  for (const [dir, colorScheme] of [
    ['ltr', 'light'],
    ['rtl', 'dark'],
  ] as const) {
    await page.emulateMedia({ colorScheme })
    await page.evaluate(`document.documentElement.dir = '${dir}'`)
    found.push(...(await pageFaults(page)).map((fault) => `${dir}, ${colorScheme}: ${fault}`))
  }
  await page.emulateMedia({ colorScheme: 'light' })
  await page.evaluate(`document.documentElement.dir = ''`)
  return found
}
