// Readers of a simulated network: each reads their timeline every half minute, and sometimes scrolls, opens a
// thread, likes or follows. One seed determines their actions; every server gets the same requests at the
// same time, each with its own cursors. Likes and follows go to the network, as if through a PDS.

import { setTimeout as sleep } from 'node:timers/promises'
import type { Random } from '../../test/support/random.ts'
import type { Commit, SimulatedAccount } from '../../test/support/simulated-network/repository.ts'
import type { Simulation } from '../simulation.ts'
import type { Recorder } from './figures.ts'
import type { Act, ReaderOptions } from './options.ts'
import { AUDIENCE, type Server } from './servers.ts'

type Item = { post: { uri: string; cid: string; author: { did: string } } }
type Page = { cursor?: string; feed: Item[] }
type Dependencies = {
  simulation: Simulation
  servers: readonly Server[]
  recorder: Recorder
  random: Random
  options: ReaderOptions
}

const TIMELINE = 'app.bsky.feed.getTimeline'
const THREAD = 'app.bsky.unspecced.getPostThreadV2'
const PAGE = 50
/** Lifetime of a token; it is renewed a little earlier. */
const TOKEN_MS = 45_000
const TIMEOUT_MS = 30_000

/** @returns a handle to stop them once requests in flight are answered */
export function startReaders(parts: Dependencies): { stop(): Promise<void> } {
  const { options, simulation, random } = parts
  const { repositories } = simulation.network
  const controller = new AbortController()
  const all = Array.from({ length: options.readers }, (_, i) => {
    const index = repositories.length - 1 - (i % repositories.length)
    return new Reader(parts, index).run(random.next(), controller.signal)
  })
  return {
    async stop() {
      controller.abort()
      await Promise.all(all)
    },
  }
}

class Reader {
  readonly #parts: Dependencies
  readonly #index: number
  readonly #account: SimulatedAccount
  #hasSignedIn = false
  readonly #tokens = new Map<string, { token: string; until: number }>()

  constructor(parts: Dependencies, index: number) {
    this.#parts = parts
    this.#index = index
    this.#account = parts.simulation.network.repositories[index]!
  }

  /** @param phase - start within the first interval, so that not all readers begin at once */
  async run(phase: number, signal: AbortSignal): Promise<void> {
    const everyMs = this.#parts.options.poll * 1000
    let next = performance.now() + phase * everyMs
    while (!signal.aborted) {
      await sleep(Math.max(0, next - performance.now()), undefined, { signal }).catch(
        () => undefined,
      )
      if (signal.aborted) return
      await this.#look()
      next = Math.max(next + everyMs, performance.now())
    }
  }

  /** Draws all random numbers first, so that they do not depend on the servers' answers. */
  async #look(): Promise<void> {
    const { random, options } = this.#parts
    const { mix } = options
    const dice = { scroll: 0, thread: 0, like: 0, follow: 0 }
    for (const act of Object.keys(dice) as (keyof typeof dice)[]) dice[act] = random.next() * 100
    const chosen = random.next()
    const pages = await this.#read(this.#hasSignedIn ? 'timeline' : 'sign-in', () => '')
    this.#hasSignedIn = true
    if (dice.scroll < mix.scroll) {
      await this.#read('scroll', (i) => `&cursor=${encodeURIComponent(pages[i]?.cursor ?? '')}`)
    }
    const items = pages.map((page) => page?.feed[Math.floor(chosen * page.feed.length)])
    if (dice.thread < mix.thread) await this.#openThread(items)
    const item = items.find((item) => item !== undefined)
    if (item && dice.like < mix.like) await this.#write('like', () => this.#like(item))
    if (item && dice.follow < mix.follow) await this.#write('follow', () => this.#follow(item))
  }

  /** Reads one page from each server. */
  #read(act: Act, more: (server: number) => string): Promise<(Page | undefined)[]> {
    return this.#askAll(act, TIMELINE, (i) => `limit=${PAGE}${more(i)}`) as Promise<Page[]>
  }

  async #openThread(items: readonly (Item | undefined)[]): Promise<void> {
    const uris = items.map((item) => item && encodeURIComponent(item.post.uri))
    await this.#askAll('thread', THREAD, (i) => uris[i] && `anchor=${uris[i]}`)
  }

  #like({ post: { uri, cid } }: Item) {
    const value = { subject: { uri, cid }, createdAt: new Date().toISOString() }
    return this.#account.put({ collection: 'app.bsky.feed.like', value, atMs: Date.now() })
  }

  #follow({ post }: Item) {
    const { network } = this.#parts.simulation
    const subject = network.repositories.findIndex(({ did }) => did === post.author.did)
    return network.follow({ account: this.#index, subject, atMs: Date.now() })
  }

  /** Records the time to hand the commit to the network; servers learn of it from the stream. */
  async #write(act: Act, make: () => Commit | undefined): Promise<void> {
    const { recorder, servers, simulation } = this.#parts
    const startedAt = performance.now()
    const commit = this.#account.state === undefined ? make() : undefined
    if (commit) simulation.emit(commit)
    const ms = performance.now() - startedAt
    for (const { name } of servers) recorder.record(name, act, { ms })
  }

  async #askAll(
    act: Act,
    method: string,
    query: (server: number) => string | undefined,
  ): Promise<unknown[]> {
    const token = await this.#tokenFor(method)
    return Promise.all(
      this.#parts.servers.map((server, i) => {
        const search = query(i)
        return search === undefined ? undefined : this.#ask(server, act, { method, search, token })
      }),
    )
  }

  async #ask(
    { name, origin }: Server,
    act: Act,
    call: { method: string; search: string; token: string },
  ): Promise<unknown> {
    const startedAt = performance.now()
    const headers = { authorization: `Bearer ${call.token}` }
    const signal = AbortSignal.timeout(TIMEOUT_MS)
    try {
      const url = `${origin}/xrpc/${call.method}?${call.search}`
      const response = await fetch(url, { headers, signal })
      const body: unknown = await response.json()
      const ms = performance.now() - startedAt
      const failure = response.ok ? {} : { failure: `${call.method}: ${JSON.stringify(body)}` }
      this.#parts.recorder.record(name, act, { ms, ...failure })
      return response.ok ? body : undefined
    } catch (error) {
      const ms = performance.now() - startedAt
      this.#parts.recorder.record(name, act, { ms, failure: String(error) })
      return undefined
    }
  }

  async #tokenFor(lxm: string): Promise<string> {
    const known = this.#tokens.get(lxm)
    if (known && known.until > performance.now()) return known.token
    const claims = { iss: this.#account.did, aud: AUDIENCE, lxm, lifetimeSeconds: 60 }
    const token = await this.#parts.simulation.servers.serviceJwt(claims)
    this.#tokens.set(lxm, { token, until: performance.now() + TOKEN_MS })
    return token
  }
}
