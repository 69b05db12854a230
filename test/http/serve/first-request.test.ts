// The first request with a token after a start: its sender is looked up over this thread's first connection.

import { once } from 'node:events'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createViewerKey, signServiceToken } from '../../../bench/load/service-tokens.ts'
import { putDocuments } from '../../../bench/world/viewers-documents.ts'
import { startPlcDouble } from '../../support/plc-double.ts'
import { didOf } from '../../support/records.ts'
import { startSlipstream } from '../../support/slipstream-process.ts'

const SERVICE = 'did:web:first.test'
const LXM = 'app.bsky.feed.getTimeline'
const LOADED = join(import.meta.dirname, '../../support/loaded-modules.ts')

test('the first request loads no part of Node that the start could have loaded', async () => {
  const alice = didOf('alice')
  const plc = await startPlcDouble()
  onTestFinished(() => plc.close())
  const key = createViewerKey(alice)
  putDocuments(plc, [alice], () => key)
  const running = startSlipstream(
    {
      PLC_URL: plc.url,
      SERVICE_DID: SERVICE,
      MEMBERS: 'open',
      JETSTREAM_HOSTS: 'ws://127.0.0.1:9',
      ALLOW_PRIVATE_HOSTS: 'on',
    },
    [],
    { options: ['--import', LOADED], stdio: ['ignore', 'pipe', 'pipe', 'ipc'] },
  )
  onTestFinished(async () => void (await running.stop('SIGKILL')))
  const port = await running.port()
  async function loaded(): Promise<string[]> {
    const reply = once(running.child, 'message')
    running.child.send('loaded')
    return (await reply)[0] as string[]
  }
  const before = new Set(await loaded())
  const token = signServiceToken(key, { aud: SERVICE, lxm: LXM })
  const { status } = await fetch(`http://127.0.0.1:${port}/xrpc/${LXM}`, {
    headers: { authorization: `Bearer ${token}` },
  })
  expect(status).toBe(200)
  expect((await loaded()).filter((name) => !before.has(name))).toEqual([])
})
