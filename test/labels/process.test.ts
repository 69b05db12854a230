// The whole process: a configured labeler is found, followed, and heard.

import { rmSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { startLabelerDouble } from '../support/labeler-double.ts'
import { startPlcDouble } from '../support/plc-double.ts'
import { freshDataDir, startSlipstream } from '../support/slipstream-process.ts'

test('a process follows its labelers, shows what they say, and ends in order', async () => {
  const plc = await startPlcDouble()
  const labeler = await startLabelerDouble(plc, 'labeler.test')
  const { did } = labeler
  const dataDir = freshDataDir()
  const slipstream = startSlipstream({
    DATA_DIR: dataDir,
    PLC_URL: plc.url,
    ALLOW_PRIVATE_HOSTS: 'on',
    LABELERS: did,
    JETSTREAM_HOSTS: 'ws://127.0.0.1:1',
  })
  try {
    const origin = `http://127.0.0.1:${await slipstream.port()}`
    while (labeler.connections.length === 0) await sleep(20)
    await labeler.say({ uri: did, val: 'self-made' })
    const read = async () => {
      const answer = await fetch(`${origin}/xrpc/app.bsky.actor.getProfile?actor=${did}`)
      expect(answer.headers.get('atproto-content-labelers')).toBe(`${did};redact`)
      return ((await answer.json()) as { labels: { val: string }[] }).labels
    }
    while ((await read()).length === 0) await sleep(20)
    expect(await read()).toMatchObject([{ src: did, uri: did, val: 'self-made' }])
    expect(await slipstream.stop()).toBe(0)
  } finally {
    slipstream.child.kill('SIGKILL')
    await Promise.all([labeler.close(), plc.close()])
    rmSync(dataDir, { recursive: true, force: true })
  }
}, 30_000)
