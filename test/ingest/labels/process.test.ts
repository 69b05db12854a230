// The whole process: a configured labeler is found, followed, and its labels are served; one whose stream was
// open when the process was killed is quarantined at first, which the operator can see.

import { rmSync } from 'node:fs'
import { expect, test } from 'vitest'
import { cliJson } from '../../support/cli.ts'
import { until } from '../../support/eventually.ts'
import { startLabelerDouble } from '../../support/labeler-double.ts'
import { startPlcDouble } from '../../support/plc-double.ts'
import { freshDataDir, startSlipstream } from '../../support/slipstream-process.ts'

test('a process follows its labelers, shows their labels, and stops cleanly', async () => {
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
    await until(() => labeler.connections.length > 0)
    await labeler.say({ uri: did, val: 'self-made' })
    const read = async () => {
      const answer = await fetch(`${origin}/xrpc/app.bsky.actor.getProfile?actor=${did}`)
      expect(answer.headers.get('atproto-content-labelers')).toBe(`${did};redact`)
      return ((await answer.json()) as { labels: { val: string }[] }).labels
    }
    await until(async () => (await read()).length > 0)
    expect(await read()).toMatchObject([{ src: did, uri: did, val: 'self-made' }])
    expect(await slipstream.stop()).toBe(0)
  } finally {
    slipstream.child.kill('SIGKILL')
    await Promise.all([labeler.close(), plc.close()])
    rmSync(dataDir, { recursive: true, force: true })
  }
})

test('after a kill the labeler is not connected to at once, and stats says so', async () => {
  const plc = await startPlcDouble()
  const labeler = await startLabelerDouble(plc, 'labeler.test')
  const dataDir = freshDataDir()
  const start = () =>
    startSlipstream({
      DATA_DIR: dataDir,
      PLC_URL: plc.url,
      ALLOW_PRIVATE_HOSTS: 'on',
      LABELERS: labeler.did,
      JETSTREAM_HOSTS: 'ws://127.0.0.1:1',
    })
  const first = start()
  let second: ReturnType<typeof start> | undefined
  try {
    await first.port()
    await until(() => labeler.connections.length > 0)
    await first.stop('SIGKILL')
    second = start()
    await second.port()
    type Stats = { facts: { quarantinedLabelers: object[] } }
    let quarantined: object[] = []
    await until(async () => {
      const { facts } = await cliJson<Stats>({ DATA_DIR: dataDir }, ['stats'])
      quarantined = facts.quarantinedLabelers
      return quarantined.length > 0
    })
    expect(quarantined).toMatchObject([
      { did: labeler.did, reason: 'the process ended while its stream was open' },
    ])
    expect(labeler.connections).toHaveLength(1)
  } finally {
    for (const server of [first, second]) server?.child.kill('SIGKILL')
    await Promise.all([labeler.close(), plc.close()])
    rmSync(dataDir, { recursive: true, force: true })
  }
})
