// Sends a dataplane the nineteen calls that the official AppView's frontend makes for one page of getTimeline(50), by gRPC over
// HTTP/2, in the frontend's order of dependence. The real client records a page's calls once; they are then replayed as bytes
// without decoding the answers, either by Node's client, which the frontend uses, or by one with almost no overhead of its own
// (raw-calls.ts), which leaves only the server's time. Or each call is sent separately at random times, like the frontends of
// many readers. Messages in: `Order`; out: `Report`.

import { type ClientHttp2Session, connect } from 'node:http2'
import { setImmediate, setTimeout } from 'node:timers/promises'
import { create, toBinary } from '@bufbuild/protobuf'
import { createClient } from '@connectrpc/connect'
import { createGrpcTransport } from '@connectrpc/connect-node'
import { Service } from '../../src/features/dataplane/generated/bsky-pb.ts'
import { nap } from './nap.ts'
import { runPromptly } from './prompt.ts'
import { connectRaw, type RawCalls } from './raw-calls.ts'

type Order = {
  pages: number
  viewers: string[]
  atOnce: number
  pauseMs: number
  isRaw: boolean
  /** Average rate of separate calls at random times, independent of the server. */
  callsPerSecond: number | undefined
}
/** Milliseconds of each call, by its name. */
type Times = Record<string, number[]>
/** `late`: milliseconds by which single calls were sent after they were due. */
type Report = { times: Times; late: number[] }
type Recorded = { name: string; path: string; body: Buffer }
/** The calls of one stage are sent at once. */
type Page = Recorded[][]

const baseUrl = process.env['BENCH_DATAPLANE_URL']!
const client = createClient(Service, createGrpcTransport({ baseUrl }))
const HEADERS = { ':method': 'POST', 'content-type': 'application/grpc+proto', te: 'trailers' }
/** Idle connections are closed after a while, so each is opened with its first call. */
let session: ClientHttp2Session | undefined
let raw: RawCalls | undefined
const pages = new Map<string, Page>()
const LABELER = 'did:plc:ar7c4by46qjdydhdevvrndac'
const PREFIX_BYTES = 5

runPromptly()
process.on('message', (order: Order) => void run(order))
process.on('disconnect', () => process.exit(0))

async function run(order: Order): Promise<void> {
  const { pages: count, viewers, atOnce, pauseMs, isRaw, callsPerSecond } = order
  for (const viewer of viewers) {
    if (!pages.has(viewer)) pages.set(viewer, await recordPage(viewer))
  }
  const times: Times = Object.fromEntries(Service.methods.map(({ localName }) => [localName, []]))
  const to = isRaw ? byRaw : bySession
  if (callsPerSecond !== undefined) {
    report({ times, late: await callByCall({ order, callsPerSecond, to, times }) })
    return
  }
  let left = count
  const work = async () => {
    while (left-- > 0) {
      for (const stage of pages.get(viewers[left % viewers.length]!)!) {
        await Promise.all(stage.map((call) => replay(to, call, times)))
      }
      if (pauseMs > 0) await setTimeout(pauseMs)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  report({ times, late: [] })
}

function report(of: Report): void {
  process.send!(of)
}

type Ask = (path: string, body: Buffer) => Promise<unknown>

const byRaw: Ask = (path, body) => {
  raw ??= connectRaw(baseUrl)
  return raw.call(path, body)
}

const bySession: Ask = (path, body) => {
  session ??= connect(baseUrl)
  const stream = session.request({ ...HEADERS, ':path': path })
  stream.end(body)
  return new Promise((resolve, reject) => stream.resume().on('end', resolve).on('error', reject))
}

/** Poisson arrivals; a call's time counts from when it was due. @returns how late each was sent. */
async function callByCall({
  order: { pages: count, viewers },
  callsPerSecond,
  to,
  times,
}: {
  order: Order
  callsPerSecond: number
  to: Ask
  times: Times
}): Promise<number[]> {
  const running: Promise<void>[] = []
  const late: number[] = []
  let dueAt = performance.now()
  for (let page = 0; page < count; page++) {
    for (const call of pages.get(viewers[page % viewers.length]!)!.flat()) {
      dueAt += (-Math.log(1 - Math.random()) / callsPerSecond) * 1_000
      do {
        nap(dueAt - performance.now())
        await setImmediate()
      } while (performance.now() < dueAt)
      late.push(performance.now() - dueAt)
      running.push(replay(to, call, times, dueAt))
    }
  }
  await Promise.all(running)
  return late
}

async function replay(
  to: Ask,
  { name, path, body }: Recorded,
  times: Times,
  startedAt = performance.now(),
): Promise<void> {
  await to(path, body)
  times[name]!.push(performance.now() - startedAt)
}

async function recordPage(viewer: string): Promise<Page> {
  const page: Page = []
  let running = 0
  await askPage(viewer, (name, request) => {
    if (running++ === 0) page.push([])
    const { input, parent, name: rpc } = Service.method[name]
    const message = toBinary(input, create(input, request as object))
    const prefix = Buffer.alloc(PREFIX_BYTES)
    prefix.writeUInt32BE(message.length, 1)
    const body = Buffer.concat([prefix, message])
    page.at(-1)!.push({ name, path: `/${parent.typeName}/${rpc}`, body })
    const requested = (client[name] as (item: object) => Promise<unknown>)(request)
    return requested.finally(() => running--) as never
  })
  return page
}

type AskOne = <Name extends keyof typeof client>(
  name: Name,
  request: Parameters<(typeof client)[Name]>[0],
) => ReturnType<(typeof client)[Name]>

async function askPage(actorDid: string, ask: AskOne): Promise<void> {
  await ask('getIdentityByDid', { did: actorDid })
  const { items } = await ask('getTimeline', { actorDid, limit: 50 })
  const posts = await records(
    items.map(({ uri }) => uri),
    ask,
  )
  const above = posts.flatMap(({ reply }) => (reply ? [reply.root.uri, reply.parent.uri] : []))
  const quoted = posts.flatMap(({ embed }) => (embed?.record?.uri ? [embed.record.uri] : []))
  await records([...new Set(above)], ask)
  await records([...new Set(quoted)], ask)
  const uris = [...new Set([...items.map(({ uri }) => uri), ...above, ...quoted])]
  const dids = [...new Set(uris.map((uri) => uri.split('/')[2]!))]
  const refs = uris.map((uri) => ({ uri }))
  const reposts = items.flatMap(({ repost }) => (repost ? [repost] : []))
  await Promise.all([
    ask('getActors', { dids }),
    ask('getLabels', { subjects: uris, issuers: [LABELER] }),
    ask('getRelationships', { actorDid, targetDids: dids }),
    ask('getRepostRecords', { uris: reposts }),
    ask('getInteractionCounts', { refs }),
    ask('getLikesByActorAndSubjects', { actorDid, refs }),
    ask('getRepostsByActorAndSubjects', { actorDid, refs }),
    ask('getBookmarksByActorAndSubjects', { actorDid, uris }),
    ask('getThreadMutesOnSubjects', { actorDid, threadRoots: uris }),
    ask('getBlockExistence', { pairs: dids.map((a) => ({ a, b: dids[0]! })) }),
  ])
  await Promise.all([
    ask('getActors', { dids: dids.slice(0, 5) }),
    ask('getLabels', { subjects: dids, issuers: [LABELER] }),
    ask('getLabels', { subjects: dids.slice(0, 5), issuers: [LABELER] }),
    ask('getRelationships', { actorDid, targetDids: dids.slice(0, 5) }),
    ask('getLatestRev', { actorDid }),
  ])
}

type Ref = { uri: string }
type Post = { reply?: { root: Ref; parent: Ref }; embed?: { record?: Ref } }

async function records(uris: string[], ask: AskOne): Promise<Post[]> {
  const { records } = await ask('getPostRecords', { uris })
  return records.map(({ record }) => JSON.parse(Buffer.from(record).toString()) ?? {})
}
