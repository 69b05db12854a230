// A short run of attackers beside a member's page: every attack has its effect, and no turn is long. Judged by
// the thread's own processor time, several times what any turn takes here. `npm run torture -- --kind
// attackers` runs the long one, which has the true bounds.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { APPVIEW_ALLOWS } from '../support/attackers/outside.ts'
import { runAttackers } from '../support/attackers/run.ts'
import { fillDataFolder } from '../support/costly/data-folder.ts'

const ROWS = 1_000
const MOST_TURN_MS = 200

test('attackers do not hold the serving thread for long', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'slipstream-attackers-'))
  try {
    const cast = fillDataFolder(dataDir, ROWS, true)
    const { rows, visitorsQuestions } = await runAttackers({
      dataDir,
      cast,
      seconds: 0.2,
      mostGenerated: 50,
      atOnce: [16],
    })
    const attacks = rows.filter(({ by }) => by !== 'nobody')
    const names = (of: typeof rows) => [...new Set(of.map(({ attack }) => attack))]
    expect(names(attacks).length).toBeGreaterThan(10)
    expect(names(attacks.filter(({ statuses }) => statuses[200]))).toEqual(names(attacks))
    expect(attacks.filter(({ statuses }) => statuses[500])).toEqual([])
    expect(rows.filter(({ turnMs }) => turnMs > MOST_TURN_MS)).toEqual([])
    expect(rows.some(({ polls }) => polls > 0)).toBe(true)
    // Visitors have a quarter of what a public AppView allows, and as many as are on their way at first.
    expect(visitorsQuestions).toBeGreaterThan(0)
    expect(visitorsQuestions).toBeLessThan(APPVIEW_ALLOWS / 2)
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
})
