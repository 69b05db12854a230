// The servers that a reader still depends on: the doctor's report under different settings, and proof that it
// is right. All other servers are taken away one after another, and the Following feed still loads.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Simulation, startSimulation } from '../../../scripts/simulation.ts'
import { loadConfig } from '../../../src/base/config/config.ts'
import { dependenciesOf } from '../../../src/tools/doctor/independence.ts'
import { type AppviewDouble, startAppviewDouble } from '../../support/appview-double.ts'
import { cliJson } from '../../support/cli.ts'
import { MAX_WAIT_MS } from '../../support/patience.ts'
import { asksPublicAppview, publicAppview } from '../../support/public-appview.ts'
import {
  freshDataDir,
  type SlipstreamProcess,
  startSlipstream,
} from '../../support/slipstream-process.ts'
import { withoutPrefix } from '../../support/without-prefix.ts'

const TIMELINE = 'app.bsky.feed.getTimeline'
const PATIENT = { timeout: MAX_WAIT_MS, interval: 250 }

function hostsOf(env: Record<string, string>): Record<string, string[]> {
  const found = dependenciesOf(loadConfig(env, '/nonexistent/.env'))
  return Object.fromEntries(found.map(({ what, hosts }) => [what, hosts]))
}

describe('the report', () => {
  test('names every server in the defaults', () => {
    const hosts = hostsOf({})
    expect(hosts).toMatchObject({
      'the PLC directory': ['plc.directory'],
      pictures: ['cdn.bsky.app'],
      videos: ['video.bsky.app'],
      labelers: ['did:plc:ar7c4by46qjdydhdevvrndac'],
    })
    expect(hosts['Jetstream']!.length).toBeGreaterThan(0)
  })

  test('each setting that it names removes its dependency', () => {
    const uncut = dependenciesOf(loadConfig({}, '/nonexistent/.env'))
    const settings = uncut.flatMap(
      ({ setting }) => /^(\w+)=(\S+)/.exec(setting ?? '')?.slice(1, 3) ?? [],
    )
    const env: Record<string, string> = {}
    for (let i = 0; i < settings.length; i += 2) env[settings[i]!] = settings[i + 1]!
    expect(Object.keys(env)).toHaveLength(asksPublicAppview ? 4 : 3)
    const names = Object.keys(hostsOf(env)).filter((name) => name !== 'relays')
    expect(names).toEqual([
      'Jetstream',
      'the PLC directory',
      'PDSs, did:web hosts and DNS',
      'feed generators',
    ])
  })
})

describe('proof of the report', () => {
  let simulation: Simulation
  let appview: AppviewDouble
  let slipstream: SlipstreamProcess
  let reader: Simulation['network']['repositories'][number]
  let env: Record<string, string>

  beforeAll(async () => {
    simulation = await startSimulation({
      seed: 5,
      accounts: 40,
      follows: 12,
      past: 1_500,
      pastHours: 4,
      rate: 20,
    })
    appview = await startAppviewDouble()
    reader = simulation.network.repositories.at(-1)!
    env = {
      ...withoutPrefix(simulation.env),
      DATA_DIR: freshDataDir(),
      HOSTNAME: 'appview.example.org',
      ...publicAppview(appview.origin),
      MEMBERS: reader.did,
    }
    slipstream = startSlipstream(env)
    await slipstream.port()
  })
  afterAll(() => slipstream.stop('SIGKILL'))

  /** Uses a new token for each request, as a PDS does. */
  async function following(): Promise<number> {
    const claims = { iss: reader.did, aud: 'did:web:appview.example.org', lxm: TIMELINE }
    const token = await simulation.servers.serviceJwt(claims)
    const url = `http://127.0.0.1:${await slipstream.port()}/xrpc/${TIMELINE}?limit=50`
    const answer = await fetch(url, { headers: { authorization: `Bearer ${token}` } })
    return answer.status === 200 ? ((await answer.json()) as { feed: [] }).feed.length : 0
  }

  test('Following loads without the public AppView, the PDSs, the directory and the stream', async () => {
    await expect.poll(following, PATIENT).toBe(50)
    const reported = await cliJson<{ dependencies: ReturnType<typeof dependenciesOf> }>(env, [
      'doctor',
      '--independence',
    ])
    const named = reported.dependencies.flatMap(({ hosts }) => hosts)
    const origins = [...(asksPublicAppview ? [appview.origin] : []), simulation.servers.origin]
    for (const origin of origins) expect(named).toContain(new URL(origin).host)

    await appview.close()
    expect(await following()).toBe(50)
    simulation.servers.trouble = async () => ({ status: 500 })
    expect(await following()).toBe(50)
    // The directory and the stream.
    await simulation.stop()
    expect(await following()).toBe(50)
    expect(await following()).toBe(50)
  })
})
