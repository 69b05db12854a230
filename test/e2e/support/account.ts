// One account on the PDS: it writes to its repository with @atproto/api and reads through the PDS
// with the strict client that the Bluesky app uses, where one invalid field fails the whole answer.

import { AtpAgent, type BlobRef } from '@atproto/api'
import { type AtUriString, Client, type DidString } from '@atproto/lex'
import { PIXEL } from '../../support/pixel.ts'
import type { Network } from './network.ts'

/** A strong reference, as createRecord returns it. */
export type Ref = { uri: AtUriString; cid: string }

/** How a request reaches Slipstream: by the PDS's own setting, or by `atproto-proxy`. */
export type Way = 'by-configuration' | 'by-header'

export type Account = {
  did: DidString
  handle: string
  /** Writes, and reads the PDS's own answers. */
  agent: AtpAgent
  /** Reads from Slipstream. */
  client: (way?: Way) => Client
  /** The PDS's undecoded answer. */
  raw: (path: string, way?: Way) => Promise<Response>
}

let created = 0

export async function createAccount(
  network: Network,
  options: { name: string; appViewDid: string },
): Promise<Account> {
  const agent = new AtpAgent({ service: network.pdsUrl })
  created++
  const handle = `${options.name}${created}.test`
  const email = `${options.name}${created}@example.com`
  await agent.createAccount({ handle, email, password: 'a-password' })
  const session = agent.session
  if (!session) throw new Error(`no session for ${handle}`)
  const headers = { authorization: `Bearer ${session.accessJwt}` }
  const proxy = `${options.appViewDid as `did:web:${string}`}#bsky_appview` as const
  const connection = { service: network.pdsUrl, headers }
  const ways: Record<Way, { client: Client; headers: Record<string, string> }> = {
    'by-configuration': { client: new Client(connection), headers },
    'by-header': {
      client: new Client(connection, { service: proxy }),
      headers: { ...headers, 'atproto-proxy': proxy },
    },
  }
  return {
    did: session.did as DidString,
    handle,
    agent,
    client: (way = 'by-configuration') => ways[way].client,
    raw: (path, way = 'by-configuration') =>
      fetch(network.pdsUrl + path, { headers: ways[way].headers }),
  }
}

/** Writes any record, valid or (with `validate: false`) not; fills in `createdAt`. */
export async function create(
  account: Account,
  collection: string,
  fields: Record<string, unknown>,
  options: { rkey?: string; validate?: boolean } = {},
): Promise<Ref> {
  const record = { $type: collection, createdAt: new Date().toISOString(), ...fields }
  const input = { repo: account.did, collection, record, ...options }
  const { data } = await account.agent.com.atproto.repo.createRecord(input)
  return { uri: data.uri as AtUriString, cid: data.cid }
}

export async function put(
  account: Account,
  collection: string,
  rkey: string,
  fields: Record<string, unknown>,
  options: { validate?: boolean } = {},
): Promise<Ref> {
  const record = { $type: collection, createdAt: new Date().toISOString(), ...fields }
  const input = { repo: account.did, collection, rkey, record, ...options }
  const { data } = await account.agent.com.atproto.repo.putRecord(input)
  return { uri: data.uri as AtUriString, cid: data.cid }
}

export async function remove(account: Account, { uri }: { uri: string }): Promise<void> {
  const [, , repo = '', collection = '', rkey = ''] = uri.split('/')
  await account.agent.com.atproto.repo.deleteRecord({ repo, collection, rkey })
}

export function post(
  account: Account,
  text: string,
  fields: Record<string, unknown> = {},
): Promise<Ref> {
  return create(account, 'app.bsky.feed.post', { text, ...fields })
}

export function reply(account: Account, root: Ref, parent: Ref, text: string): Promise<Ref> {
  return post(account, text, { reply: { root, parent } })
}

export function follow(account: Account, subject: Account): Promise<Ref> {
  return create(account, 'app.bsky.graph.follow', { subject: subject.did })
}

export function block(account: Account, subject: Account): Promise<Ref> {
  return create(account, 'app.bsky.graph.block', { subject: subject.did })
}

export function repost(account: Account, subject: Ref): Promise<Ref> {
  return create(account, 'app.bsky.feed.repost', { subject })
}

export function like(account: Account, subject: Ref): Promise<Ref> {
  return create(account, 'app.bsky.feed.like', { subject })
}

export async function uploadImage(account: Account): Promise<BlobRef> {
  const { data } = await account.agent.uploadBlob(PIXEL, { encoding: 'image/png' })
  return data.blob
}
