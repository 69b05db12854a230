import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { describe, expect, test } from 'vitest'
import {
  atPort,
  ConfigError,
  examineConfig,
  loadConfig,
  printConfig,
} from '../../../src/base/config/config.ts'
import { everySetting } from '../../../src/base/config/every-setting.ts'

const nowhere = '/nonexistent/.env'
const load = (env: Record<string, string>) => loadConfig(env, nowhere)

function refusal(env: Record<string, string>): ConfigError {
  try {
    loadConfig(env, nowhere)
  } catch (error) {
    if (error instanceof ConfigError) return error
  }
  throw new Error('expected a ConfigError')
}

test('an empty environment gives every default', () => {
  const config = loadConfig({}, nowhere)
  expect(config.port).toBe(3000)
  expect(config.serviceDid).toBe('did:web:localhost%3A3000')
  expect(config.publicOrigin).toBe('http://localhost:3000')
  expect(config.jetstreamHosts).toHaveLength(2)
  expect(config.members).toBe('open')
  expect(config.reasonableLimit).toBe(2000)
})

test('the environment wins over the .env file', () => {
  const path = join(mkdtempSync(join(tmpdir(), 'slipstream-config-')), '.env')
  writeFileSync(path, 'SLIPSTREAM_PORT=4000\nSLIPSTREAM_BIND=0.0.0.0\n')
  const config = loadConfig({ SLIPSTREAM_PORT: '5000' }, path)
  expect(config).toMatchObject({ port: 5000, bind: '0.0.0.0' })
})

describe('a .env file', () => {
  const path = join(mkdtempSync(join(tmpdir(), 'slipstream-config-')), '.env')
  const read = (content: string | Buffer) => {
    writeFileSync(path, content)
    return examineConfig({}, path)
  }
  const wanted = { port: 4000, members: ['invite', 'alice.example.org'] }

  test.each([
    ['lines of Windows', 'SLIPSTREAM_PORT=4000\r\nSLIPSTREAM_MEMBERS=invite,alice.example.org\r\n'],
    [
      'a byte order mark',
      '\ufeffSLIPSTREAM_PORT=4000\nSLIPSTREAM_MEMBERS=invite,alice.example.org',
    ],
    [
      'lines of a shell',
      'export SLIPSTREAM_PORT=4000\nexport SLIPSTREAM_MEMBERS="invite,alice.example.org"',
    ],
    ['spaces', ' SLIPSTREAM_PORT = 4000 \n\tSLIPSTREAM_MEMBERS = invite, alice.example.org\t'],
    [
      'comments',
      '# who\nSLIPSTREAM_PORT=4000 # of all\nSLIPSTREAM_MEMBERS=invite,alice.example.org # and',
    ],
    [
      'a line twice, of which the last counts',
      'SLIPSTREAM_PORT=1\nSLIPSTREAM_PORT=4000\nSLIPSTREAM_MEMBERS=invite,alice.example.org',
    ],
  ])('may have %s', (_, content) => {
    expect(read(content)).toMatchObject({ problems: [], config: wanted })
  })

  test.each([
    'SLIPSTREAM_MEMBERS: invite',
    'SLIPSTREAM_MEMBERS invite',
    'set SLIPSTREAM_MEMBERS=invite',
    '$env:SLIPSTREAM_MEMBERS="invite"',
    '- SLIPSTREAM_MEMBERS=invite',
  ])('with a line that Node would pass over is refused, instead of open to all: %s', (line) => {
    const [problem] = read(`SLIPSTREAM_PORT=4000\n${line}`).problems
    expect(problem?.message).toBe(`${path} has a line that sets nothing, line 2.`)
    expect(problem?.hint).toBe('Write SLIPSTREAM_MEMBERS=VALUE there.')
  })

  test.each([
    ['a space that is none before it', '\u00a0SLIPSTREAM_MEMBERS=invite'],
    ['a space that is none behind it', 'SLIPSTREAM_MEMBERS\u00a0=invite'],
    ['a space without width', '\u200bSLIPSTREAM_MEMBERS=invite'],
    ['such a space after export', 'export\u2003SLIPSTREAM_MEMBERS=invite'],
  ])('with %s, as pasted from a page, is refused', (_, line) => {
    const [problem] = read(`SLIPSTREAM_PORT=4000\n${line}`).problems
    expect(problem?.message).toBe(`${path} has a line that sets nothing, line 2.`)
    expect(problem?.hint).toMatch(/^Write SLIPSTREAM_MEMBERS=VALUE there: .* can’t be seen/)
  })

  test.each([
    'SLIPSTREAM-MEMBERS',
    'SLIPSTREAM.MEMBERS',
    'SLIPSTREAM MEMBERS',
    'SLIPSTREAMMEMBERS',
  ])('with the name %s is refused', (name) => {
    const [problem] = read(`${name}=invite`).problems
    expect(problem?.hint).toBe('Write SLIPSTREAM_MEMBERS=VALUE there.')
  })

  test('with a quote that is not closed is refused, instead of taking the next line as its value', () => {
    const [problem] = read('SLIPSTREAM_DATA_DIR="/data\nSLIPSTREAM_MEMBERS="invite"\n').problems
    expect(problem?.message).toBe(
      `${path} has a quote that is not closed, in the value of SLIPSTREAM_DATA_DIR.`,
    )
  })

  test('of another encoding is refused', () => {
    const [problem] = read(Buffer.from('\ufeffSLIPSTREAM_MEMBERS=invite', 'utf16le')).problems
    expect(problem).toMatchObject({ message: `${path} is not UTF-8.` })
  })

  test('with a # in a value says that it needs quotes, instead of cutting a secret off', () => {
    const secret = 'abcdefghijklmnop#qrstuv'
    const [problem] = read(`SLIPSTREAM_OPERATOR_TOKEN=${secret}`).problems
    expect(problem?.hint).toContain('Put the value of SLIPSTREAM_OPERATOR_TOKEN into quotes')
    expect(problem?.message).not.toContain('qrstuv')
    const quoted = read(`SLIPSTREAM_OPERATOR_TOKEN="${secret}"`)
    expect(quoted).toMatchObject({ problems: [], config: { operatorToken: secret } })
  })

  test('may have lines for other programs, whatever they look like', () => {
    expect(read('MEMORY_LIMIT=1g\nhello\nURL=http://a/#b\n').problems).toEqual([])
  })
})

test('the service DID is derived from the host name, with its port escaped', () => {
  const plain = loadConfig({ SLIPSTREAM_HOSTNAME: 'appview.example.org' }, nowhere)
  expect(plain.serviceDid).toBe('did:web:appview.example.org')
  expect(plain.publicOrigin).toBe('https://appview.example.org')
  const withPort = loadConfig({ SLIPSTREAM_HOSTNAME: 'appview.example.org:8443' }, nowhere)
  expect(withPort.serviceDid).toBe('did:web:appview.example.org%3A8443')
})

test.each([
  'appview.example.org.',
  '.',
  'a..example',
  '-a.example',
  'a_b.example',
  'a.example:80:80',
  'a.example:0',
  'a.example:99999',
  'a.example:443',
])('a host name %s, which no DID may have, is refused', (SLIPSTREAM_HOSTNAME) => {
  expect(refusal({ SLIPSTREAM_HOSTNAME }).message).toContain('without a dot at its end')
})

test.each(['127.0.0.1:3000', '"127.0.0.1"', '[::1]', '*', 'http://localhost'])(
  'an address to listen on is refused before anything starts: %s',
  (address) =>
    expect(refusal({ SLIPSTREAM_BIND: address }).message).toContain(
      `SLIPSTREAM_BIND is "${address}", but must be an`,
    ),
)

test.each(['::1', '::', 'fe80::1%eth0', 'localhost', ' 0.0.0.0 '])(
  'it listens on %s if told so',
  (address) => expect(load({ SLIPSTREAM_BIND: address }).bind).toBe(address.trim()),
)

test('open among other members is refused for what it is', () => {
  const { message } = refusal({ SLIPSTREAM_MEMBERS: 'Open,alice.example.org' })
  expect(message).toContain('must be "open" by itself')
})

test('private hosts may be on and off, and the refusal says so', () => {
  const { message } = refusal({ SLIPSTREAM_ALLOW_PRIVATE_HOSTS: 'localhost' })
  expect(message).toContain('must be on, off, or addresses')
})

test('a ~ that no shell has replaced is refused, not made a folder of that name', () => {
  const { message } = refusal({ SLIPSTREAM_DATA_DIR: '~/data' })
  expect(message).toContain('only a shell knows what ~ is')
})

test('a port chosen at start changes our default names, but none set by the operator', () => {
  const found = (env: Record<string, string>) =>
    atPort(loadConfig({ SLIPSTREAM_PORT: '0', ...env }, nowhere), 4000)
  expect(found({})).toMatchObject({
    port: 4000,
    hostname: 'localhost:4000',
    serviceDid: 'did:web:localhost%3A4000',
  })
  expect(found({ SLIPSTREAM_HOSTNAME: 'a.example' }).serviceDid).toBe('did:web:a.example')
  expect(found({ SLIPSTREAM_SERVICE_DID: 'did:web:b.example' })).toMatchObject({
    hostname: 'localhost:4000',
    publicOrigin: 'http://localhost:4000',
    serviceDid: 'did:web:b.example',
  })
})

test('pictures use our own address if the operator wants it, and then follow our name', () => {
  const cdn = 'https://cdn.bsky.app/img/{preset}/plain/{did}/{cid}'
  expect(load({}).imageUrlPattern).toBe(cdn)
  const own = load({
    SLIPSTREAM_IMAGES: 'own',
    SLIPSTREAM_HOSTNAME: 'a.example',
  })
  expect(own.imageUrlPattern).toBe('https://a.example/img/{preset}/plain/{did}/{cid}')
  const moved = atPort(load({ SLIPSTREAM_IMAGES: 'own', SLIPSTREAM_PORT: '0' }), 4000)
  expect(moved.imageUrlPattern).toBe('http://localhost:4000/img/{preset}/plain/{did}/{cid}')
  const given = { SLIPSTREAM_IMAGES: 'own', SLIPSTREAM_IMAGE_URL_PATTERN: cdn }
  expect(atPort(load(given), 4000).imageUrlPattern).toBe(cdn)
  const videos = atPort(load({ SLIPSTREAM_VIDEOS: 'own' }), 4000)
  expect(videos).toMatchObject({
    imageUrlPattern: cdn,
    videoPlaylistUrlPattern: 'http://localhost:4000/video/{did}/{cid}/playlist.m3u8?post={rkey}',
    videoThumbnailUrlPattern: 'http://localhost:4000/video/{did}/{cid}/thumbnail.jpg',
  })
})

test('an unknown key is refused, naming the nearest known one', () => {
  const error = refusal({ SLIPSTREAM_JETSTREAM_HOST: 'wss://x' })
  expect(error.message).toContain('SLIPSTREAM_JETSTREAM_HOST is not a setting')
  expect(error.hint).toContain('SLIPSTREAM_JETSTREAM_HOSTS?')
})

test.each([
  ['PROT', 'PORT'],
  ['HOST', 'HOSTNAME'],
  ['HOSTNAM', 'HOSTNAME'],
  ['DATADIR', 'DATA_DIR'],
  ['DATA_FOLDER', 'DATA_DIR'],
  ['JETSTREM_HOSTS', 'JETSTREAM_HOSTS'],
  ['JETSTREAM_URL', 'JETSTREAM_HOSTS'],
  ['PLC_HOST', 'PLC_URL'],
  ['THREADS', 'SERVE_THREADS'],
  ['LOGLEVEL', 'LOG_LEVEL'],
  ['OPERATOR_TOKN', 'OPERATOR_TOKEN'],
  ['DISK_CAP_GB', 'DISK_CAP_MB'],
  ['ANSWERS_CACHE_MB', 'ANSWER_CACHE_MB'],
  ['LABELLERS', 'LABELERS'],
])('for SLIPSTREAM_%s the hint suggests SLIPSTREAM_%s', (written, meant) => {
  expect(refusal({ [`SLIPSTREAM_${written}`]: 'x' }).hint).toContain(
    `Did you mean SLIPSTREAM_${meant}?`,
  )
})

test.each(['XYZZY', 'DEBUG', 'NODE_ENV', 'DATABASE_URL', 'A'])(
  'SLIPSTREAM_%s, unlike any setting, gets no suggestion',
  (written) => {
    const { message, hint } = refusal({ [`SLIPSTREAM_${written}`]: 'x' })
    expect(message).toContain(`SLIPSTREAM_${written} is not a setting`)
    expect(hint).not.toContain('Did you mean')
    expect(hint).toContain('docs/SETTINGS.md')
  },
)

test.each(['SLIPSTEAM_PORT', 'SLISPTREAM_PORT', 'slipstream_port', 'SLIPSTREEM_PROT'])(
  '%s is not ignored, although it only resembles one of our names',
  (written) => {
    const { message, hint } = refusal({ [written]: '4000' })
    expect(message).toContain(`${written} is not a setting`)
    expect(hint).toContain('SLIPSTREAM_PORT?')
  },
)

test('an empty list of members is refused in any source, instead of meaning open', () => {
  const { message, hint } = refusal({ SLIPSTREAM_MEMBERS: '' })
  expect(message).toMatch(/SLIPSTREAM_MEMBERS is "", but must be "open", or/)
  expect(hint).toContain('leave it out for open')
  const path = join(mkdtempSync(join(tmpdir(), 'slipstream-config-')), '.env')
  writeFileSync(path, 'SLIPSTREAM_MEMBERS=\n')
  expect(() => loadConfig({}, path)).toThrow(/SLIPSTREAM_MEMBERS is ""/)
  expect(examineConfig({}, path).problems.map(String)).toEqual([
    expect.stringContaining('SLIPSTREAM_MEMBERS is ""'),
  ])
})

test('keys of other programs are ignored', () => {
  expect(() => loadConfig({ PORT: 'x', BSKY_PORT: 'y' }, nowhere)).not.toThrow()
})

describe('an invalid value is refused, with the key, the value and what is valid', () => {
  const unfit: [string, string, RegExp][] = [
    ['PORT', 'eighty', /whole number from 0 to 65535/],
    ['PORT', '70000', /whole number/],
    ['PORT', '1.5', /whole number/],
    ['HOSTNAME', 'https://appview.example.org', /host name/],
    ['SERVICE_DID', 'appview', /a DID/],
    ['ALT_AUDIENCES', 'did:web:a,nonsense', /a DID/],
    ['JETSTREAM_HOSTS', 'https://jetstream', /ws:\/\/ or wss:\/\//],
    ['JETSTREAM_HOSTS', 'wss://host/subscribe', /origins only/],
    ['JETSTREAM_WIRE', 'v3', /one of v2, v1, auto/],
    ['JETSTREAM_COMPRESS', 'maybe', /on or off/],
    ['PLC_URL', 'plc.directory', /a URL/],
    ['MEMBERS', 'did:plc:abc,not a handle', /neither/],
    ['REASONABLE_LIMIT', '-1', /whole number from 0/],
    ['INDEX_SCOPE', 'everything', /one of authors, community, network/],
    ['IMAGE_URL_PATTERN', 'https://cdn.example/{cid}', /with \{did\} and \{cid\}/],
    ['VIDEO_PLAYLIST_URL_PATTERN', '{did}{cid}', /an http\(s\):\/\/ address/],
    ['LOG_LEVEL', 'loud', /one of trace/],
  ]
  test.each(unfit)('SLIPSTREAM_%s=%s', (key, value, expectation) => {
    const error = refusal({ [`SLIPSTREAM_${key}`]: value })
    expect(error.message).toContain(`SLIPSTREAM_${key} is "${value}"`)
    expect(error.message).toMatch(expectation)
    expect(error.hint).toContain(`SLIPSTREAM_${key}`)
  })
})

test('--print-config prints a .env file that yields the same configuration', () => {
  const config = loadConfig(
    { SLIPSTREAM_HOSTNAME: 'a.example.org', SLIPSTREAM_MEMBERS: 'did:plc:abc,b.example.org' },
    nowhere,
  )
  const printed = printConfig(config)
  for (const { key } of Object.values(everySetting)) expect(printed).toContain(`${key}=`)
  expect(loadConfig(parseEnv(printed) as Record<string, string>, nowhere)).toEqual(config)
})

test.each(['LABELERS', 'TRUSTED_VERIFIERS', 'MODERATION_SERVICES', 'ALT_AUDIENCES'])(
  'a handle is no DID: SLIPSTREAM_%s gives rights, and says where to find it',
  (name) => {
    const env = { [`SLIPSTREAM_${name}`]: 'did:plc:abc,mod.example.org' }
    expect(() => loadConfig(env, nowhere)).toThrow(/a handle may change its owner/)
  },
)
