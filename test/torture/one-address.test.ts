// A short run of one address that asks for everything as hard as it can. `npm run torture -- --kind address`
// takes its five minutes, and has the true bound.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { buyAsOneAddress } from '../support/attackers/one-address.ts'
import { fillDataFolder } from '../support/costly/data-folder.ts'

const SECONDS = 8
/** What was under way when its time was up comes on top, more of it on a busy machine. */
const MOST_MS = 3_000

test('one address that asks for everything is refused everything in the end', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'slipstream-address-'))
  try {
    const purchases = await buyAsOneAddress({
      dataDir,
      cast: fillDataFolder(dataDir, 200, true),
      seconds: 0,
      secondsOfAll: SECONDS,
    })
    expect(purchases.map(({ isProxied }) => isProxied)).toEqual([false, true])
    for (const { boughtMs, statuses } of purchases) {
      expect(boughtMs).toBeLessThan(MOST_MS)
      expect(statuses[200]).toBeGreaterThan(0)
      expect(statuses[500]).toBeUndefined()
    }
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
})
