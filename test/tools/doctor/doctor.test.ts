// The doctor against a healthy Slipstream, and against one seeded mistake after another: real sockets, a real
// server behind a proxy with real certificates.

import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { lockDataDir } from '../../../src/data/store/files/lock.ts'
import type { Status } from '../../../src/http/operator/status.ts'
import type { Finding } from '../../../src/tools/doctor/finding.ts'
import { runCli } from '../../support/cli.ts'
import {
  checks,
  type DoctorWorld,
  freshFolder,
  type Spoilt,
  startDoctorWorld,
} from '../../support/doctor-world.ts'
import type { ProxyRules } from '../../support/proxy-double.ts'
import { publicAppview } from '../../support/public-appview.ts'

let world: DoctorWorld

beforeAll(async () => {
  world = await startDoctorWorld()
})

afterAll(() => world.close())

beforeEach(() => world.heal())

/** An address on which no program listens. */
const NOWHERE = '127.0.0.1:9'

async function expectWrong(
  area: string,
  reported: RegExp,
  fix: RegExp,
  spoilt?: Spoilt,
): Promise<void> {
  const found = await world.diagnose(area, spoilt)
  const wrong = found.filter(({ level }) => level === 'wrong')
  expect(wrong).toContainEqual({
    level: 'wrong',
    text: expect.stringMatching(reported),
    fix: expect.stringMatching(fix),
  })
}

const levelsOf = (found: Finding[]) => new Set(found.map(({ level }) => level))

/** Starts a program other than Slipstream. */
async function otherProgram(): Promise<{ server: Server; port: number }> {
  const server = createServer((_request, response) => response.end('<html>'))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { server, port: (server.address() as AddressInfo).port }
}

describe('with everything in order', () => {
  it.each(checks.map(({ area }) => area))('finds nothing wrong with %s', async (area) => {
    const found = await world.diagnose(area)
    // The doubles are on private addresses, which a public server may not call.
    const wrong = found.filter(({ level, text }) => level === 'wrong' && !/own network/.test(text))
    expect(wrong).toEqual([])
    expect(found.length).toBeGreaterThan(0)
  })

  it.each([
    'software',
    'server',
    'port',
    'network',
    'clock',
    'name',
    'certificate',
    'did.json',
    'proxy',
    'plc',
    'members',
    'labelers',
    'pictures',
  ])('checks everything about %s', async (area) => {
    const found = await world.diagnose(area)
    const rest = found.filter(({ level }) => level !== 'good')
    // The test account's handle has no DNS record, and a test may run anywhere.
    expect(rest.filter(({ text }) => !/handle.invalid|gaps are being repaired/.test(text))).toEqual(
      [],
    )
  })
})

describe('settings', () => {
  it('reports every mistake, not only the first', async () => {
    const env = { HOSTNAM: 'x', SERVE_THREADS: 'many', METRICS: 'operator' }
    await expectWrong('settings', /HOSTNAM is not a setting/, /SLIPSTREAM_HOSTNAME/, { env })
    await expectWrong('settings', /SERVE_THREADS is "many"/, /Set SLIPSTREAM_SERVE_THREADS/, {
      env,
    })
    await expectWrong('settings', /METRICS is operator/, /OPERATOR_TOKEN/, { env })
  })

  const mistakes: [string, Record<string, string>, RegExp, RegExp][] = [
    [
      'an address instead of a name',
      { HOSTNAME: '203.0.113.5' },
      /is an address/,
      /HOSTNAME to a name/,
    ],
    ['an incomplete name', { HOSTNAME: 'appview' }, /not a public name/, /full name/],
    ['private hosts on a public server', { ALLOW_PRIVATE_HOSTS: 'on' }, /own network/, /=off/],
    [
      'all addresses as trusted proxies',
      { TRUSTED_PROXIES: '0.0.0.0/0' },
      /limits .* have no effect/,
      /proxy’s address/,
    ],
    ['no trusted proxy', { TRUSTED_PROXIES: 'none' }, /share one limit/, /=loopback/],
    ['a random port behind a proxy', { PORT: '0' }, /new port at each start/, /SLIPSTREAM_PORT/],
    [
      'a DID with a path',
      { SERVICE_DID: 'did:web:a.test:b' },
      /has a path/,
      /did:web:appview.test/,
    ],
    [
      'two places for pictures',
      { IMAGE_URL_PATTERN: 'https://a.test/{did}/{cid}' },
      /clients elsewhere/,
      /one of the two/,
    ],
  ]
  it.each(mistakes)('finds %s', async (_name, env, reported, fix) => {
    await expectWrong('settings', reported, fix, { env })
  })
})

describe('this machine', () => {
  it('finds a port that another program uses', async () => {
    const { server, port } = await otherProgram()
    const env = { PORT: String(port), DATA_DIR: freshFolder() }
    await expectWrong('port', /another program listens/, /ss -ltnp/, { env })
    server.close()
  })

  it('finds another Slipstream on the port', async () => {
    await expectWrong('port', /another Slipstream/, /SLIPSTREAM_PORT/, {
      env: { DATA_DIR: freshFolder() },
    })
  })

  it('finds an address that this machine does not have', async () => {
    const env = { BIND: '192.0.2.1', DATA_DIR: freshFolder(), PORT: '3999' }
    await expectWrong('port', /no address 192.0.2.1/, /SLIPSTREAM_BIND/, { env })
  })

  it('finds a server that listens on another address than in the settings', async () => {
    await expectWrong(
      'port',
      /was started for .*say 127\.0\.0\.1:9/,
      /its settings\. If you changed them, they count after a restart/,
      {
        env: { PORT: '9' },
      },
    )
  })

  it('finds a server with other settings, and one of another version', async () => {
    await expectWrong('server', /settings differ/, /Restart/, { env: { INDEX_SCOPE: 'authors' } })
    const { status, ask } = await runningServer()
    const server = { status: { ...status, version: '0.0.1' }, ask }
    await expectWrong('server', /it is 0.0.1/, /systemctl restart/, { server })
  })

  it('finds a server that has lost its stream', async () => {
    const { status, ask } = await runningServer()
    const stream = { ...status.ingest!.stream, connected: false, lastError: 'cut' }
    const server = { status: { ...status, ingest: { ...status.ingest!, stream } }, ask }
    await expectWrong('server', /no connection to .*: cut/, /doctor --only network,jetstream/, {
      server,
    })
  })

  it('finds a folder whose lock holder does not answer', async () => {
    const DATA_DIR = freshFolder()
    const lock = lockDataDir(DATA_DIR)
    await expectWrong('server', /Another Slipstream.*does not answer/, /log/, { env: { DATA_DIR } })
    lock.release()
  })

  it('finds a disk that is not persistent, and a folder that can’t be written', async () => {
    const DATA_DIR = '/dev/shm'
    await expectWrong('disk', /tmpfs: everything is lost/, /SLIPSTREAM_DATA_DIR/, {
      env: { DATA_DIR },
    })
    const nowhere = { DATA_DIR: '/proc/slipstream' }
    await expectWrong('disk', /can’t be written/, /write access/, { env: nowhere })
  })

  it('finds a folder that other users may write to, and a socket that they may open', async () => {
    const DATA_DIR = freshFolder()
    chmodSync(DATA_DIR, 0o777)
    await expectWrong('permissions', /others can write/, /chmod 700/, { env: { DATA_DIR } })
    writeFileSync(join(DATA_DIR, 'control.sock'), '')
    chmodSync(join(DATA_DIR, 'control.sock'), 0o666)
    await expectWrong('permissions', /others can open/, /chmod 600/, {
      env: { DATA_DIR },
      server: 'none',
    })
  })

  it('draws no conclusion from a folder that this user may not enter', async () => {
    const DATA_DIR = freshFolder()
    const areas = ['server', 'disk', 'database', 'memory'] as const
    const look = () =>
      areas.map((area) => world.diagnose(area, { env: { DATA_DIR }, server: 'none' }))
    const found = await asSomebodyElse(DATA_DIR, () => Promise.all(look()))
    const item = { level: 'unchecked', text: expect.stringMatching(/this user can’t read/) }
    expect(found).toEqual(areas.map(() => [item]))
  })

  it('finds a path that is too long for a socket', async () => {
    const DATA_DIR = join(freshFolder(), 'a'.repeat(120))
    mkdirSync(DATA_DIR)
    await expectWrong('permissions', /control socket’s path/, /shorter/, { env: { DATA_DIR } })
  })

  it('finds a token in a file that other users may read', async () => {
    const dotenvPath = join(freshFolder(), '.env')
    writeFileSync(dotenvPath, 'SLIPSTREAM_OPERATOR_TOKEN=0123456789abcdef')
    chmodSync(dotenvPath, 0o644)
    await expectWrong('permissions', /holds a token/, /chmod 600/, { dotenvPath })
  })

  it('finds a newer database, and a damaged one', async () => {
    const DATA_DIR = freshFolder()
    const path = join(DATA_DIR, 'slipstream.sqlite')
    const db = new Database(path)
    db.pragma('user_version = 999')
    db.close()
    await expectWrong('database', /newer Slipstream/, /restore FILE/, { env: { DATA_DIR } })
    writeFileSync(path, 'x'.repeat(8192))
    await expectWrong('database', /damaged/, /backup/, { env: { DATA_DIR } })
  })

  it.each([
    [0, 'good', /received until/],
    [33, 'notice', /in 3 hours a gap begins/],
    [40, 'notice', /hosts no longer keep later events/],
  ])(
    'reports how urgent a start is for a server that stopped %i hours ago',
    async (hours, level, reported) => {
      const now = () => Date.now() + hours * 3_600_000
      const found = await world.diagnose('database', { server: 'none', now })
      expect(found).toContainEqual(
        expect.objectContaining({ level, text: expect.stringMatching(reported) }),
      )
    },
  )

  it.each([90_000, -90_000])('finds a clock that is %i ms off', async (ms) => {
    const now = () => Date.now() + ms
    await expectWrong('clock', /clock is (89|90|91) s/, /timedatectl/, { now })
  })
})

describe('the way to this server', () => {
  it('finds a name that does not resolve, and one that resolves to a private network', async () => {
    const nowhere: Spoilt = { addressesOf: () => Promise.resolve([]) }
    await expectWrong('name', /is not in DNS/, /A record/, nowhere)
    const inside: Spoilt = { addressesOf: () => Promise.resolve(['93.184.215.14', '10.0.0.5']) }
    await expectWrong('name', /10.0.0.5, which is not public/, /public address/, inside)
  })

  it.each([
    ['self-signed', /self-signed/, /Let’s Encrypt/],
    ['expired', /has expired, valid until Feb/, /certbot renew/],
    ['other-name', /another name/, /proxy for appview.test/],
    ['no-chain', /lacks the intermediate/, /fullchain/],
  ] as const)('finds a certificate that is %s', async (certificate, reported, fix) => {
    world.proxy.rules = { certificate, forwardedFor: 'set' }
    await expectWrong('certificate', reported, fix)
    await expectWrong('did.json', /can’t be fetched: its certificate/, /certificate/)
  })

  it('finds a proxy that does not answer', async () => {
    const env = { HOSTNAME: 'appview.test:9' }
    await expectWrong('certificate', /refuses the connection/, /reverse proxy/, { env })
    await expectWrong('did.json', /refuses the connection/, /log/, { env })
  })

  const spoilt: [string, Partial<ProxyRules>, string, RegExp, RegExp][] = [
    [
      'redirects',
      { redirectTo: 'https://www.appview.test' },
      'did.json',
      /follow no redirect/,
      /Remove the redirect/,
    ],
    [
      'serves only some paths',
      { onlyBelow: '/xrpc/' },
      'did.json',
      /answered with 404/,
      /Caddyfile/,
    ],
    [
      'serves another server’s document',
      { document: (d) => ({ ...d, id: 'did:web:b.test' }) },
      'did.json',
      /for did:web:b.test/,
      /restart/,
    ],
    [
      'names another kind of service',
      { document: withService({ type: 'AtprotoPds' }) },
      'did.json',
      /type is AtprotoPds/,
      /BskyAppView/,
    ],
    [
      'names another endpoint',
      { document: withService({ serviceEndpoint: 'https://b.test' }) },
      'did.json',
      /points to https:\/\/b.test/,
      /serviceEndpoint/,
    ],
    [
      'names no service',
      { document: (d) => ({ ...d, service: [] }) },
      'did.json',
      /has no service/,
      /#bsky_appview/,
    ],
    ['removes CORS headers', { cors: 'none' }, 'did.json', /browsers may not read/, /CORS/],
    ['sends CORS headers twice', { cors: 'twice' }, 'did.json', /there twice/, /CORS/],
    [
      'refuses OPTIONS',
      { refusesOptions: true },
      'did.json',
      /OPTIONS is answered with 405/,
      /OPTIONS/,
    ],
    ['removes tokens', { takesTokens: true }, 'proxy', /removes tokens/, /Authorization/],
    ['caches answers', { cachesAnswers: true }, 'proxy', /caches answers/, /cache off/],
    [
      'refuses large bodies',
      { maxBodyBytes: 10_000 },
      'proxy',
      /bodies of 96 KB/,
      /client_max_body_size/,
    ],
    [
      'refuses long addresses',
      { maxUrlLength: 4_000 },
      'proxy',
      /URLs of 6 KB/,
      /large_client_header/,
    ],
    [
      'does not forward client addresses',
      { forwardedFor: 'none' },
      'proxy',
      /all visitors count as one/,
      /X-Forwarded-For/,
    ],
    [
      'hides that it is a proxy',
      { forwardedFor: 'none', ownHost: true },
      'proxy',
      /everyone can read \/metrics/,
      /SLIPSTREAM_METRICS=operator/,
    ],
    [
      'lets clients forge their address',
      { forwardedFor: 'pass' },
      'proxy',
      /can forge/,
      /proxy_add_x_forwarded_for/,
    ],
    [
      'does not forward requests for pictures',
      { onlyBelow: '/xrpc/' },
      'pictures',
      /another server answers/,
      /\/img\//,
    ],
  ]
  it.each(spoilt)('finds a proxy that %s', async (_name, rules, area, reported, fix) => {
    world.proxy.rules = { ...world.proxy.rules, ...rules }
    await expectWrong(area, reported, fix)
  })

  it('finds a proxy that does not reach the server', async () => {
    const { target } = world.proxy
    world.proxy.target = 9
    await expectWrong('did.json', /the proxy answers 502/, /SLIPSTREAM_PORT/)
    const found = await world.diagnose('did.json', { server: 'none' })
    world.proxy.target = target
    expect(found[0]).toMatchObject({ level: 'unchecked', text: /Slipstream is not running/ })
  })
})

describe('other servers', () => {
  const two = () => ({ JETSTREAM_HOSTS: `ws://${NOWHERE},ws://localhost:9` })

  it('finds Jetstream hosts that are unreachable; one of several is only a notice', async () => {
    await expectWrong('jetstream', /can’t be reached: .*REFUSED/, /JETSTREAM_HOSTS/, { env: two() })
    const env = { JETSTREAM_HOSTS: `${world.stream.url},ws://${NOWHERE}` }
    expect(levelsOf(await world.diagnose('jetstream', { env }))).toEqual(
      new Set(['good', 'notice']),
    )
  })

  it('finds a host without the requested wire format', async () => {
    const missing = { status: 404, name: 'MethodNotImplemented', message: 'not found' }
    world.stream.refuseHandshakes(missing, 3)
    await expectWrong('jetstream', /not offered by this host/, /JETSTREAM_WIRE=auto/)
  })

  it('finds dictionaries that can’t be fetched, and frames that can’t be decoded', async () => {
    world.stream.dictionaryFault = 'garbage'
    const found = await world.diagnose('jetstream')
    expect(found).toContainEqual({
      level: 'notice',
      text: expect.stringMatching(/v2: no dictionary .*not start as a structured/),
      fix: expect.any(String),
    })
    world.stream.dictionaryFault = undefined
    world.stream.behaviour.tamper = () => Buffer.from('garbage')
    await expectWrong('jetstream', /frames can’t be read \(bad-zstd\)/, /COMPRESS=off/)
  })

  it('finds a host whose events have no time, or one in another unit', async () => {
    const env = { JETSTREAM_WIRE: 'v1', JETSTREAM_COMPRESS: 'off' }
    const tamper = (time: string) => (frame: string | Buffer) =>
      frame.toString().replace(/"time_us":\d+/, time)
    world.stream.behaviour.tamper = tamper('"timestamp":1')
    await expectWrong('jetstream', /frames can’t be read \(bad-time\)/, /Ask the host/, { env })
    world.stream.behaviour.tamper = tamper('"time_us":1795862000123')
    await expectWrong('jetstream', /times of its events are in milliseconds/, /Ask the host/, {
      env,
    })
  })

  it('finds a directory that fails, one that is not a directory, and one that is unreachable', async () => {
    world.plc.failWith(500)
    await expectWrong('plc', /answers 500/, /PLC_URL/)
    const { server, port } = await otherProgram()
    const PLC_URL = `http://127.0.0.1:${port}`
    await expectWrong('plc', /is not a PLC directory/, /plc.directory/, { env: { PLC_URL } })
    server.close()
    await expectWrong('plc', /refuses the connection/, /firewall/, {
      env: { PLC_URL: `http://${NOWHERE}` },
    })
  })

  it('finds members that don’t exist, or whose PDS fails or can’t find us', async () => {
    const nobody = `did:plc:${'b'.repeat(24)}`
    await expectWrong('members', /there is no account/, /MEMBERS/, { env: { MEMBERS: nobody } })
    world.pds.misbehave({ method: 'listRecords', how: { status: 500 } })
    await expectWrong('members', /does not serve the follow list/, /curl -i/)
    world.pds.behave()
    world.pds.findable.clear()
    await expectWrong('members', /can’t find did:web:appview.test/, /caches a document/)
  })

  it('concludes nothing from a PDS that asks for a token before it looks us up', async () => {
    world.pds.misbehave({ method: 'getConfig', how: { status: 401, error: 'AuthMissing' } })
    expect(await world.diagnose('members')).toContainEqual({
      level: 'unchecked',
      text: expect.stringMatching(/does not say whether it finds/),
    })
  })

  it('finds a labeler that is not one', async () => {
    const env = { LABELERS: world.member.did }
    await expectWrong('labelers', /is not a labeler/, /SLIPSTREAM_LABELERS/, { env })
  })
})

describe('on the command line', () => {
  const local = (more: Record<string, string> = {}) => {
    const { HOSTNAME: _name, IMAGES: _images, ...env } = world.env
    return { ...env, DATA_DIR: freshFolder(), PORT: '0', MEMBERS: 'open', ...more }
  }

  it('exits with 0 if all is well', async () => {
    const areas =
      'settings,software,server,disk,database,memory,clock,network,jetstream,plc,labelers'
    const { code, stdout } = await runCli(local(), ['doctor', '--only', areas])
    expect(stdout).toMatch(/\d+ good, \d+ to know, 0 wrong/)
    expect(code).toBe(0)
  })

  it('exits with 1 for settings with which no server would start, and checks the rest', async () => {
    const run = await runCli(local({ TYPO: '1' }), ['doctor', '--json'])
    const { ok, areas } = JSON.parse(run.stdout) as { ok: boolean; areas: { area: string }[] }
    expect({ code: run.code, ok }).toEqual({ code: 1, ok: false })
    expect(areas.map(({ area }) => area)).toEqual(checks.map(({ area }) => area))
  })

  it('says what it could not check without a network', async () => {
    const away = {
      PLC_URL: `http://${NOWHERE}`,
      JETSTREAM_HOSTS: `ws://${NOWHERE}`,
      ...publicAppview(`http://${NOWHERE}`),
    }
    const run = await runCli(local(away), ['doctor', '--only', 'network,jetstream,plc'])
    expect(run.stdout).toMatch(/WRONG {2}none of the hosts/)
    expect(run.stdout.match(/\? {6}offline/g)).toHaveLength(2)
    expect(run.code).toBe(1)
  })

  it('shows text from strangers without letting it move the cursor', async () => {
    const message = 'go\u001b[2Jaway\u202e'
    world.stream.refuseHandshakes({ status: 400, name: 'InvalidRequest', message }, 3)
    const { stdout } = await runCli(local(), ['doctor', '--only', 'jetstream'])
    expect(stdout).toMatch(/go \[2Jaway /)
    expect(stdout).not.toMatch(/\u001b\[2J|\u202e/)
  })

  it('refuses an unknown area', async () => {
    const run = await runCli(local(), ['doctor', '--only', 'weather'])
    expect(run).toMatchObject({ code: 64, stderr: expect.stringMatching(/no area weather/) })
  })
})

/** Root may enter everything, so the test switches to the user nobody meanwhile. */
async function asSomebodyElse<T>(folder: string, look: () => Promise<T>): Promise<T> {
  const isRoot = process.geteuid?.() === 0
  chmodSync(folder, isRoot ? 0o700 : 0)
  if (isRoot) process.seteuid?.(65_534)
  try {
    return await look()
  } finally {
    if (isRoot) process.seteuid?.(0)
    chmodSync(folder, 0o700)
  }
}

function withService(change: object): NonNullable<ProxyRules['document']> {
  return (document) => {
    const [service] = document['service'] as object[]
    return { ...document, service: [{ ...service, ...change }] }
  }
}

async function runningServer(): Promise<{
  status: Status
  ask<T>(method: string, path: string): Promise<T>
}> {
  const { findServer } = await import('../../../src/tools/cli/control-client.ts')
  const client = await findServer(world.env['DATA_DIR']!)
  const ask = client!.ask
  for (;;) {
    const status = await ask<Status>('GET', '/status')
    if (status.ingest) return { status, ask }
  }
}
