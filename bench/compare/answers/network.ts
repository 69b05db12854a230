// The network behind the recorded world: directory and PDSs with the accounts' repositories, one stream, a
// labeler and a feed generator. All trees read from the same servers. A repository changes when its event is
// sent, as on a real PDS, so no tree can read of the future.

import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { createJetstreamDouble } from '../../../test/support/jetstream-double/double.ts'
import { type LabelerDouble, startLabelerDouble } from '../../../test/support/labeler-double.ts'
import {
  createRepository,
  type SimulatedAccount,
} from '../../../test/support/simulated-network/repository.ts'
import { serveNetwork } from '../../../test/support/simulated-network/servers.ts'
import { cidOf } from '../../../test/support/social-world.ts'

import type { Act, TimedAct } from './act.ts'
import { FEED_GENERATOR, LABELER, ownMembers } from './member-acts.ts'

export type Account = { did: string; handle: string | undefined }

export type RecordedNetwork = Awaited<ReturnType<typeof startNetwork>>

const EVENTS_AT_ONCE = 50
const BREATH_MS = 20

export async function startNetwork(accounts: readonly Account[]) {
  const repositories = createRepositories(accounts)
  const documents = new Map<string, Record<string, unknown>>()
  const servers = await serveNetwork([...repositories.values()])
  servers.documentOf = (did) => documents.get(did)
  const stream = await createJetstreamDouble({ seed: 1 })
  const labeler = await startLabeler(documents)
  const feeds = await startFeeds(documents)
  const perform = performer(repositories)
  return {
    repositories,
    servers,
    stream,
    labeler,
    feeds,
    /** Sends the events of these acts, in order. @returns how many there were. */
    async send(acts: readonly TimedAct[]): Promise<number> {
      let sent = 0
      for (const [i, act] of acts.entries()) {
        const event = perform(act)
        if (event) stream.emit({ ...event, timeUs: act.atMs * 1000 })
        if (event) sent++
        if (i % EVENTS_AT_ONCE === 0) await sleep(BREATH_MS)
      }
      return sent
    },
    async close(): Promise<void> {
      feeds.close()
      await labeler.close()
      await stream.close()
      await servers.close()
    },
  }
}

/** An account whose handle can't be verified claims another's. */
function createRepositories(accounts: readonly Account[]): Map<string, SimulatedAccount> {
  const all = [...ownMembers, ...accounts].map(({ did, handle = ownMembers[0]!.handle }, clockId) =>
    createRepository({ did, handle, clockId }),
  )
  return new Map(all.map((account) => [account.did, account]))
}

/** Replaces the random world's CIDs, which are no record's, by those of the repositories. */
function performer(repositories: ReadonlyMap<string, SimulatedAccount>) {
  const cids = new Map<string, string>()

  function put(act: Extract<Act, { kind: 'put' }> & { atMs: number }) {
    const { did, collection, rkey, atMs } = act
    const text = JSON.stringify(act.value)
      .replaceAll('"$link":"bafyrei', '"$link":"bafkrei')
      .replaceAll(/bafyrei[a-z2-7]{52}/g, (cid) => cids.get(cid) ?? cid)
    const commit = repositories.get(did)!.put({ collection, rkey, value: JSON.parse(text), atMs })
    if (commit.operation === 'delete') return commit
    // References by an at-URI alone are made with its hash (social-world.ts).
    cids.set(act.madeAs ?? cidOf({ uri: `at://${did}/${collection}/${rkey}` }), commit.cid)
    return commit
  }

  return (act: TimedAct) => {
    const repository = repositories.get(act.did)
    if (!repository || repository.state === 'deleted') return undefined
    if (act.kind === 'put') return put(act)
    if (act.kind === 'remove') return repository.remove(act.collection, act.rkey, act.atMs)
    if (act.kind === 'rename') return repository.rename(act.handle)
    const { did, status } = act
    const event = repository.setState(status === 'takendown' ? 'deactivated' : status)
    return status === 'takendown' ? { kind: 'account' as const, did, active: false, status } : event
  }
}

function startLabeler(documents: Map<string, Record<string, unknown>>): Promise<LabelerDouble> {
  const edit: Parameters<typeof startLabelerDouble>[0]['edit'] = (did, change) => {
    const changed = change(documents.get(did) ?? {})
    if (changed) documents.set(did, changed)
  }
  const create = async ({ handle }: { handle: string }) => {
    documents.set(LABELER, {
      '@context': ['https://www.w3.org/ns/did/v1'],
      id: LABELER,
      alsoKnownAs: [`at://${handle}`],
    })
    return { did: LABELER }
  }
  return startLabelerDouble({ create, edit }, 'labeler.test')
}

/** A feed generator that returns the given posts in pages. */
async function startFeeds(documents: Map<string, Record<string, unknown>>) {
  let posts: readonly string[] = []
  const server: Server = createServer((request, response) => {
    const query = new URL(request.url!, 'http://feeds').searchParams
    const from = Number(query.get('cursor') ?? 0)
    const to = from + Number(query.get('limit') ?? 50)
    const feed = posts.slice(from, to).map((post) => ({ post, feedContext: 'because' }))
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ feed, ...(to < posts.length && { cursor: String(to) }) }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const serviceEndpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  documents.set(FEED_GENERATOR, {
    '@context': ['https://www.w3.org/ns/did/v1'],
    id: FEED_GENERATOR,
    service: [{ id: '#bsky_fg', type: 'BskyFeedGenerator', serviceEndpoint }],
  })
  return {
    gives(uris: readonly string[]) {
      posts = uris
    },
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}
