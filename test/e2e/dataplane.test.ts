// The official AppView, from the registry and unchanged, on our dataplane: the conformance cases' questions
// asked of it and of Slipstream's own XRPC, over one seeded network. Both answer alike, but for what is named.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { type Asker, createAsker, type Params } from './conformance/ask.ts'
import { queries } from './conformance/cases.ts'
import { differences, unlike, unlikeForVisitors } from './conformance/official-differences.ts'
import { type Seed, sow } from './conformance/seed.ts'
import { freePort } from './support/free-port.ts'
import { type OfficialAppView, startOfficialAppView } from './support/official-appview.ts'
import { startWorld, type World } from './support/world.ts'

/** Everything asked for has come by then; what still differs after it will not change. */
const WITHIN_MS = 20_000

describe('the official AppView on our dataplane', () => {
  let world: World
  let official: OfficialAppView
  let seed: Seed
  let ask: Record<'official' | 'ours', Record<'vera' | 'visitor', Asker>>

  beforeAll(async () => {
    const port = await freePort()
    const settings = {
      SLIPSTREAM_DATAPLANE_PORT: String(port),
      SLIPSTREAM_INDEX_SCOPE: 'network',
    }
    world = (await startWorld('double', async () => undefined, settings)).world
    const { slipstream, network } = world
    official = await startOfficialAppView({
      dataplaneUrl: `http://127.0.0.1:${port}`,
      httpVersion: '2',
      plcUrl: network.plcUrl,
      serverDid: slipstream.did,
      mediaOrigin: slipstream.origin,
    })
    seed = await sow(world)
    const askers = (origin: string) => ({
      vera: createAsker(world, seed.vera, origin),
      visitor: createAsker(world, undefined, origin),
    })
    ask = { official: askers(official.origin), ours: askers(slipstream.origin) }
  })

  afterAll(async () => {
    await seed?.stop()
    await official?.stop()
    await world?.stop()
  })

  const asked = Object.keys(queries).filter((nsid) => !(nsid in unlike))

  describe.each(asked)('%s', (nsid) => {
    const askers =
      nsid in unlikeForVisitors ? ['vera' as const] : ['vera' as const, 'visitor' as const]

    test.each(askers)('for %s', async (who) => {
      for (const params of queries[nsid]!.asks?.(seed) ?? [{}]) {
        await eventually(() => compare(nsid, params, who), { withinMs: WITHIN_MS })
      }
    })
  })

  async function compare(nsid: string, params: Params, who: 'vera' | 'visitor'): Promise<void> {
    const headers = { 'atproto-accept-labelers': seed.labeler.did }
    const answers = await Promise.all(
      [ask.ours, ask.official].map((one) => one[who].answer(nsid, { params, headers })),
    )
    const [ours, theirs] = answers.map((one) => differences(one))
    const said = answers[1]!.status >= 500 ? official.output() : ''
    expect(theirs, `${nsid} ${JSON.stringify(params)} ${said}`).toEqual(ours)
  }

  test('what a member keeps in no repository lands with us', async () => {
    const { vera } = ask.official
    const { did } = seed.gil
    const muted = async () => {
      const { body } = await ask.ours.vera.decoded('app.bsky.actor.getProfile', {
        params: { actor: did },
      })
      return (body['viewer'] as { muted: boolean }).muted
    }
    const mutes = 'app.bsky.graph.'
    await vera.decoded(`${mutes}muteActor`, { input: { actor: did } })
    expect(await muted()).toBe(true)
    await vera.decoded(`${mutes}unmuteActor`, { input: { actor: did } })
    expect(await muted()).toBe(false)
  })
})
