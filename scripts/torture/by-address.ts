// `npm run torture -- --kind address`: what one address buys of the serving thread, by kinds of route and in all.

import { mkdtempSync, rmSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { buyAsOneAddress, type Purchase } from '../../test/support/attackers/one-address.ts'
import { fillDataFolder } from '../../test/support/costly/data-folder.ts'

export const ADDRESS_USAGE = `--kind address asks as one address, as hard as it can, and measures the serving thread, directly and through a proxy:
  --posts N      how many posts there are, about (20000)
  --seconds N    for how long it asks for each kind of route (10)
  --bought N     for how long it asks for all of them (300)
  --methods TEXT only kinds of route whose name has this, and all`

type Options = {
  posts: number
  seconds: number
  boughtSeconds: number
  only: string | undefined
  isJson: boolean
}

const POSTS_A_ROW = 5
const MOST_MS = 2_000

/** @returns whether none bought too much */
export async function tortureByAddress(options: Options): Promise<boolean> {
  const { posts, seconds, boughtSeconds, only, isJson } = options
  const dataDir = mkdtempSync(join(tmpdir(), 'slipstream-address-'))
  try {
    const purchases = await buyAsOneAddress({
      dataDir,
      cast: fillDataFolder(dataDir, Math.ceil(posts / POSTS_A_ROW), true),
      seconds,
      secondsOfAll: boughtSeconds,
      only,
      onPurchase: (purchase) => isJson || console.log(line(purchase)),
    })
    if (isJson) console.log(JSON.stringify(purchases))
    return purchases.every(({ boughtMs }) => boughtMs <= MOST_MS)
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
}

function line({ family, isProxied, boughtMs, seconds, statuses }: Purchase): string {
  const way = isProxied ? 'through a proxy' : 'directly'
  const [load = 0] = loadavg()
  const answers = Object.entries(statuses).map(([status, count]) => `${count} × ${status}`)
  return `${family}, ${way}: ${boughtMs.toFixed(0)} ms in ${seconds} s (${answers.join(', ')}; load ${load.toFixed(0)})`
}
