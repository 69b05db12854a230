// A Slipstream with everything around it in good order, as the doctor should find it: directory, stream, PDS
// with a member, labeler, public AppView, and a proxy with TLS. Each test breaks one thing.

import { mkdtempSync } from 'node:fs'
import type { LookupFunction } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { examineConfig } from '../../src/base/config/config.ts'
import type { Status } from '../../src/http/operator/status.ts'
import { findServer } from '../../src/tools/cli/control-client.ts'
import { checksWith } from '../../src/tools/doctor/checks.ts'
import { examine } from '../../src/tools/doctor/examine.ts'
import type { Finding } from '../../src/tools/doctor/finding.ts'
import { createDoctorContext } from '../../src/tools/doctor/network/connect.ts'
import { checksOf, processBytesOf } from '../../src/tools/feature.ts'
import { type AppviewDouble, startAppviewDouble } from './appview-double.ts'
import { until } from './eventually.ts'
import { toolsFeatures } from './feature-parts.ts'
import { createJetstreamDouble, type JetstreamDouble } from './jetstream-double/double.ts'
import { type LabelerDouble, startLabelerDouble } from './labeler-double.ts'
import { type PdsDouble, startPdsDouble } from './pds-double.ts'
import { type PlcAccount, type PlcDouble, startPlcDouble } from './plc-double.ts'
import { authority, type ProxyDouble, startProxyDouble } from './proxy-double.ts'
import { publicAppview } from './public-appview.ts'
import { didOf, tidAt } from './records.ts'
import { freshDataDir, type SlipstreamProcess, startSlipstream } from './slipstream-process.ts'

export type DoctorWorld = {
  plc: PlcDouble
  stream: JetstreamDouble
  pds: PdsDouble
  labeler: LabelerDouble
  appview: AppviewDouble
  proxy: ProxyDouble
  member: PlcAccount
  server: SlipstreamProcess
  /** Settings without their prefix. */
  env: Record<string, string>
  diagnose(area: string, spoilt?: Spoilt): Promise<Finding[]>
  /** Restores everything that a test broke. */
  heal(): void
  close(): Promise<void>
}

type DoctorOptions = Parameters<typeof createDoctorContext>[0]

export type Spoilt = { env?: Record<string, string>; dotenvPath?: string } & Partial<
  Pick<DoctorOptions, 'addressesOf' | 'now' | 'server'>
>

const POST = 'app.bsky.feed.post'
const HOUR_US = 3_600_000_000
const PUBLIC = '93.184.215.14'
export const checks = checksWith(checksOf(toolsFeatures))
const NO_DOTENV = join(tmpdir(), 'no-such-env')

const toThisMachine: LookupFunction = (_name, options, callback) => {
  if (options.all) callback(null, [{ address: '127.0.0.1', family: 4 }])
  else callback(null, '127.0.0.1', 4)
}

export async function startDoctorWorld(): Promise<DoctorWorld> {
  const [plc, stream, pds, appview, proxy] = await Promise.all([
    startPlcDouble(),
    createJetstreamDouble(),
    startPdsDouble(),
    startAppviewDouble(),
    startProxyDouble(),
  ])
  const labeler = await startLabelerDouble(plc, 'labels.test')
  const member = await plc.create({ handle: 'alice.test', pds: pds.origin })
  const env = {
    HOSTNAME: `appview.test:${proxy.port}`,
    DATA_DIR: freshDataDir(),
    JETSTREAM_HOSTS: stream.url,
    JETSTREAM_V1_DICTIONARY: stream.v1DictionaryUrl,
    PLC_URL: plc.url,
    ALLOW_PRIVATE_HOSTS: 'on',
    LABELERS: labeler.did,
    ...publicAppview(appview.origin),
    IMAGES: 'own',
    MEMBERS: member.did,
    REPLAY_HOURS: '24',
  }
  const server = startSlipstream(env)
  const events = startEmitting(stream)
  proxy.target = await server.port()
  await untilStreaming(env.DATA_DIR)
  const world = { plc, stream, pds, labeler, appview, proxy, member, server }

  function heal(): void {
    proxy.behave()
    pds.behave()
    pds.findable.add(`did:web:${env.HOSTNAME.replace(':', '%3A')}#bsky_appview`)
    plc.failWith(undefined)
    appview.misbehave(undefined)
    stream.dictionaryFault = undefined
    stream.behaviour.tamper = undefined
    stream.behaviour.legacy = false
  }

  pds.create(member)
  appview.answer('app.bsky.actor.getProfile', { did: didOf('someone'), handle: 'bsky.app' })
  heal()
  const all = { ...env, PORT: String(proxy.target) }
  return {
    ...world,
    env: all,
    heal,
    diagnose: (area, spoilt) => diagnose(all, area, spoilt),
    async close() {
      clearInterval(events)
      await server.stop('SIGKILL')
      await Promise.all(
        [plc, stream, pds, appview, proxy, labeler].map((plcDouble) => plcDouble.close()),
      )
    },
  }
}

/** Waits for the first status report, which takes about a second. */
function untilStreaming(dataDir: string): Promise<void> {
  return until(async () => {
    const server = await callServer(dataDir)
    if (typeof server !== 'object' || !('status' in server)) return false
    const { stream } = server.status.ingest ?? {}
    return stream?.connected === true && stream.lagMs !== undefined
  })
}

/**
 * Emits events all the time, after a first one thirty hours ago, which is the length of the window.
 */
function startEmitting(stream: JetstreamDouble): NodeJS.Timeout {
  const post = (timeUs: number) => {
    const record = { $type: POST, text: 'x', createdAt: new Date(timeUs / 1000).toISOString() }
    const key = { did: didOf('poster'), collection: POST, rkey: tidAt(timeUs) }
    stream.emit({ ...key, operation: 'create', record, timeUs })
  }
  post(Date.now() * 1000 - 30 * HOUR_US)
  return setInterval(() => post(Date.now() * 1000), 50)
}

export function freshFolder(): string {
  return mkdtempSync(join(tmpdir(), 'slipstream-doctor-test-'))
}

export async function diagnose(
  env: Record<string, string>,
  area: string,
  spoilt: Spoilt = {},
): Promise<Finding[]> {
  const set = Object.entries({ ...env, ...spoilt.env }).map(([k, v]) => [`SLIPSTREAM_${k}`, v])
  const { dotenvPath = NO_DOTENV } = spoilt
  const { config, problems } = examineConfig(Object.fromEntries(set), dotenvPath)
  const patient = createDoctorContext({
    config,
    problems,
    processBytes: processBytesOf(toolsFeatures, config),
    dotenvPath,
    setKeys: new Set(set.map(([key]) => key!)),
    server: spoilt.server ?? (await callServer(config.dataDir)),
    socket: { lookup: toThisMachine, ca: authority },
    addressesOf: spoilt.addressesOf ?? (() => Promise.resolve([PUBLIC])),
    ...(spoilt.now && { now: spoilt.now }),
  })
  const wanted = checks.filter((check) => check.area === area)
  if (wanted.length === 0) throw new Error(`there is no area ${area}`)
  const { areas } = await examine(wanted, patient)
  await patient.close()
  return areas.flatMap(({ findings }) => findings)
}

async function callServer(dataDir: string): Promise<DoctorOptions['server']> {
  const client = await findServer(dataDir)
  if (!client) return 'none'
  return { status: await client.ask<Status>('GET', '/status'), ask: client.ask }
}
