// A process with VERIFY=members beside a Jetstream that may lie. Its accounts' server signs their repositories.

import { eventually, until } from '../../support/eventually.ts'
import { type PdsDouble, startPdsDouble } from '../../support/pds-double.ts'
import { signServiceJwt } from '../../support/service-jwt.ts'
import { signRepositories } from '../../support/signed-repositories.ts'
import { startTimelinesProcess, type TimelinesProcess } from '../../support/timelines-process.ts'

export const POST = 'app.bsky.feed.post'
/** Checks are made within seconds, and all that a test waits for is promised within a minute on a quiet machine. */
export const UNHURRIED = { pollMs: 500 }

const SETTINGS = {
  VERIFY: 'members',
  RELAY_HOSTS: 'off',
  METRICS: 'open',
  INDEX_SCOPE: 'community',
}

export type LyingWorld = {
  pds: PdsDouble
  slipstream: TimelinesProcess
  /** A post in the repository, and how the stream would say it. */
  write(name: string, text: string, ageMs: number): ReturnType<WriterOf>
  /** A counter by its name without prefix and a pattern of its labels. */
  counted(name: string, labels: string): Promise<number>
  /** Within a minute. */
  found(reason: string, before: number): Promise<void>
  ask<Body>(method: string, query: Record<string, string>): Promise<{ status: number; body: Body }>
  isVisible(uri: string): Promise<boolean>
  close(): Promise<void>
}

type WriterOf = NonNullable<ReturnType<PdsDouble['account']>>['put']

/** @param writers - whose repositories are signed; the member `reader` asks */
export async function startLyingWorld(writers: string[]): Promise<LyingWorld> {
  const pds = await startPdsDouble()
  const slipstream = await startTimelinesProcess([...writers, 'reader'], SETTINGS, { pds })
  const people = writers.map((name) => slipstream.accountOf(name))
  for (const { did, handle } of people) pds.account(did) ?? pds.create({ did, handle })
  signRepositories(
    pds,
    slipstream.plc,
    people.map(({ did }) => did),
  )
  await slipstream.start()
  await until(() => slipstream.double.openConnections() > 0)

  async function counted(name: string, labels: string): Promise<number> {
    const text = await (await fetch(`${slipstream.origin()}/metrics`)).text()
    const line = new RegExp(`^slipstream_${name}\\{.*${labels}.*\\} (.*)$`, 'm')
    return Number(line.exec(text)?.[1] ?? 0)
  }

  async function ask<Body>(lxm: string, query: Record<string, string>) {
    const { did, keypair } = slipstream.accountOf('reader')
    const document = await (await fetch(`${slipstream.origin()}/.well-known/did.json`)).json()
    const { id: aud } = document as { id: string }
    const token = await signServiceJwt(keypair, { iss: did, aud, lxm })
    return slipstream.ask<Body>('GET', `/xrpc/${lxm}?${new URLSearchParams(query)}`, { token })
  }

  return {
    pds,
    slipstream,
    write(name, text, ageMs) {
      const value = { $type: POST, text, createdAt: new Date(Date.now() - ageMs).toISOString() }
      const account = pds.account(slipstream.didOf(name))!
      return account.put({ collection: POST, value, atMs: Date.now() - ageMs })
    },
    counted,
    found: (reason, before) =>
      eventually(async () => {
        const now = await counted('unverified_total', `reason="${reason}"`)
        if (now <= before) throw new Error(`${reason} was found ${now} times`)
      }, UNHURRIED),
    ask,
    async isVisible(uri) {
      const { body } = await ask<{ posts: object[] }>('app.bsky.feed.getPosts', { uris: uri })
      return body.posts.length > 0
    },
    async close() {
      await slipstream.close()
      await pds.close()
    },
  }
}
