// Asks a dataplane what the official AppView's frontend asks for one page of getTimeline(50): nineteen calls, by
// gRPC over HTTP/2, in the frontend's order of dependence. A process of its own, so that what the server
// takes is told apart. Messages in: `Order`; out: each call's milliseconds.

import { setTimeout } from 'node:timers/promises'
import { createClient } from '@connectrpc/connect'
import { createGrpcTransport } from '@connectrpc/connect-node'
import { Service } from '../../src/http/dataplane/generated/bsky-pb.ts'

type Order = { pages: number; viewers: string[]; atOnce: number; pauseMs: number }

const transport = createGrpcTransport({ baseUrl: process.env['BENCH_DATAPLANE_URL']! })
const client = createClient(Service, transport)
const LABELER = 'did:plc:ar7c4by46qjdydhdevvrndac'

process.on('message', (order: Order) => void run(order))
process.on('disconnect', () => process.exit(0))

async function run({ pages, viewers, atOnce, pauseMs }: Order): Promise<void> {
  const times: number[] = []
  let left = pages
  const work = async () => {
    while (left-- > 0) {
      await page(viewers[left % viewers.length]!, times)
      if (pauseMs > 0) await setTimeout(pauseMs)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  process.send!({ times })
}

async function page(actorDid: string, times: number[]): Promise<void> {
  const timed = async <T>(call: Promise<T>): Promise<T> => {
    const startedAt = performance.now()
    const answer = await call
    times.push(performance.now() - startedAt)
    return answer
  }
  await timed(client.getIdentityByDid({ did: actorDid }))
  const { items } = await timed(client.getTimeline({ actorDid, limit: 50 }))
  const posts = await records(
    items.map(({ uri }) => uri),
    timed,
  )
  const above = posts.flatMap(({ reply }) => (reply ? [reply.root.uri, reply.parent.uri] : []))
  const quoted = posts.flatMap(({ embed }) => (embed?.record?.uri ? [embed.record.uri] : []))
  await records([...new Set(above)], timed)
  await records([...new Set(quoted)], timed)
  const uris = [...new Set([...items.map(({ uri }) => uri), ...above, ...quoted])]
  const dids = [...new Set(uris.map((uri) => uri.split('/')[2]!))]
  const refs = uris.map((uri) => ({ uri }))
  const reposts = items.flatMap(({ repost }) => (repost ? [repost] : []))
  await Promise.all([
    timed(client.getActors({ dids })),
    timed(client.getLabels({ subjects: uris, issuers: [LABELER] })),
    timed(client.getRelationships({ actorDid, targetDids: dids })),
    timed(client.getRepostRecords({ uris: reposts })),
    timed(client.getInteractionCounts({ refs })),
    timed(client.getLikesByActorAndSubjects({ actorDid, refs })),
    timed(client.getRepostsByActorAndSubjects({ actorDid, refs })),
    timed(client.getBookmarksByActorAndSubjects({ actorDid, uris })),
    timed(client.getThreadMutesOnSubjects({ actorDid, threadRoots: uris })),
    timed(client.getBlockExistence({ pairs: dids.map((a) => ({ a, b: dids[0]! })) })),
  ])
  await Promise.all([
    timed(client.getActors({ dids: dids.slice(0, 5) })),
    timed(client.getLabels({ subjects: dids, issuers: [LABELER] })),
    timed(client.getLabels({ subjects: dids.slice(0, 5), issuers: [LABELER] })),
    timed(client.getRelationships({ actorDid, targetDids: dids.slice(0, 5) })),
    timed(client.getLatestRev({ actorDid })),
  ])
}

type Ref = { uri: string }
type Post = { reply?: { root: Ref; parent: Ref }; embed?: { record?: Ref } }

async function records(
  uris: string[],
  timed: <T>(call: Promise<T>) => Promise<T>,
): Promise<Post[]> {
  const { records } = await timed(client.getPostRecords({ uris }))
  return records.map(({ record }) => JSON.parse(Buffer.from(record).toString()) ?? {})
}
