// Thousands of accounts with a past, which would take too long to create for real: PDS doubles hold their
// repositories, and a directory in front of the real one knows them.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { MINUTE_MS } from '../../../src/base/util/durations.ts'
import { type PdsDouble, startPdsDouble } from '../../support/pds-double.ts'
import { type DidDocument, didDocument, plcDid } from '../../support/plc-double.ts'
import { passThrough } from './pass-through.ts'

export type SimulatedTown = {
  /** URL of the directory that knows both kinds. */
  plcUrl: string
  /** DIDs. */
  people: string[]
  texts: string[]
  stop: () => Promise<void>
}

const HOSTS = 8
const KEY = 'did:key:zQ3shokFTS3brHcDQrn82RUDfCZESWL1ZdCEJwekUDPQiYBme'

/** Each account has a profile and one post, a minute older than the previous account's. */
export async function simulateTown(size: number, realPlcUrl: string): Promise<SimulatedTown> {
  const hosts = await Promise.all(Array.from({ length: HOSTS }, startPdsDouble))
  const documents = new Map<string, DidDocument>()
  const texts: string[] = []
  const begin = Date.now() - MINUTE_MS
  for (let i = 0; i < size; i++) {
    const host = hosts[i % HOSTS]!
    const handle = `simulated${i}.test`
    const did = plcDid(handle)
    documents.set(did, didDocument({ did, handle, pds: host.origin, signingKey: KEY }))
    texts.push(populate(host, { did, handle }, begin - i * MINUTE_MS))
  }
  const plc = await startDirectory(documents, realPlcUrl)
  const stop = async () => {
    await plc.stop()
    await Promise.all(hosts.map((host) => host.close()))
  }
  return { plcUrl: plc.url, people: [...documents.keys()], texts, stop }
}

function populate(host: PdsDouble, item: { did: string; handle: string }, atMs: number): string {
  const account = host.create(item)
  const text = `by ${item.handle}`
  const createdAt = new Date(atMs).toISOString()
  const profile = { displayName: item.handle }
  account.put({ collection: 'app.bsky.actor.profile', rkey: 'self', value: profile, atMs })
  account.put({ collection: 'app.bsky.feed.post', value: { text, createdAt }, atMs })
  return text
}

async function startDirectory(documents: ReadonlyMap<string, DidDocument>, realPlcUrl: string) {
  const server = createServer((req, res) => {
    const document = documents.get((req.url ?? '').slice(1))
    if (!document) return passThrough(realPlcUrl, req, res)
    res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(document))
  })
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve))
  const { port } = server.address() as AddressInfo
  const stop = () => {
    server.closeAllConnections()
    return new Promise<void>((resolve) => server.close(() => resolve()))
  }
  return { url: `http://localhost:${port}`, stop }
}
