// Records what a real PDS sends on com.atproto.sync.subscribeRepos while people write, for the tests and the
// bench of src/features/verification/firehose: `node test/e2e/record-frames.ts FILE COMMITS`. The file is zstd: a line of JSON
// with the accounts' keys, then each frame after its length (4 bytes, big endian).

import { writeFileSync } from 'node:fs'
import { zstdCompressSync } from 'node:zlib'
import { WebSocket } from 'ws'
import { createRandom } from '../support/random.ts'
import { type Account, create, createAccount, post, put, remove } from './support/account.ts'
import { CONFIGURED_APPVIEW_DID, startNetwork } from './support/network.ts'

const [, , file = 'frames.zst', wanted = '400'] = process.argv
const ACCOUNTS = 5
const random = createRandom(7)

const network = await startNetwork(1)
const frames: Buffer[] = []
const socket = new WebSocket(
  `${network.pdsUrl.replace('http', 'ws')}/xrpc/com.atproto.sync.subscribeRepos?cursor=0`,
)
socket.on('message', (data: Buffer) => frames.push(data))

const people: Account[] = []
for (let i = 0; i < ACCOUNTS; i++) {
  people.push(await createAccount(network, { name: 'writer', appViewDid: CONFIGURED_APPVIEW_DID }))
}
const made: { by: Account; uri: string; cid: string }[] = []

async function act(): Promise<void> {
  const by = random.pick(people)
  const item = made[random.below(made.length)]
  const what = random.next()
  if (what < 0.15 && item) {
    made.splice(made.indexOf(item), 1)
    return remove(item.by, item)
  }
  if (what < 0.2) {
    await put(by, 'app.bsky.actor.profile', 'self', {
      displayName: `Name ${Math.floor(what * 1e6)}`,
    })
    return
  }
  if (what < 0.25) return severalAtOnce(by)
  if (what < 0.65 && item) {
    const subject = { uri: item.uri, cid: item.cid }
    made.push({ by, ...(await create(by, 'app.bsky.feed.like', { subject })) })
    return
  }
  made.push({
    by,
    ...(await post(by, `post ${made.length} of ${by.handle}, with some more words`)),
  })
}

async function severalAtOnce(by: Account): Promise<void> {
  const writes = Array.from({ length: 3 }, (_, i) => ({
    $type: 'com.atproto.repo.applyWrites#create' as const,
    collection: 'app.bsky.graph.follow',
    value: { subject: people[i]!.did, createdAt: new Date().toISOString() },
  }))
  await by.agent.com.atproto.repo.applyWrites({ repo: by.did, writes })
}

while (frames.length < Number(wanted)) await act()
const keys: Record<string, string> = {}
for (const { did } of people) {
  const document = (await (await fetch(`${network.plcUrl}/${did}/data`)).json()) as {
    verificationMethods: { atproto: string }
  }
  keys[did] = document.verificationMethods.atproto
}
socket.terminate()
await network.stop()
const parts = frames.flatMap((frame) => {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(frame.length)
  return [length, frame]
})
writeFileSync(
  file,
  zstdCompressSync(Buffer.concat([Buffer.from(`${JSON.stringify({ keys })}\n`), ...parts])),
)
console.log(`${frames.length} frames, ${parts.reduce((sum, { length }) => sum + length, 0)} bytes`)
