// Checks the settings: unreadable ones, contradictory ones, and valid ones that are hardly intended.

import { existsSync } from 'node:fs'
import { isIP } from 'node:net'
import { availableParallelism } from 'node:os'
import type { Config } from '../../base/config/config.ts'
import { type DoctorContext, isLocalOnly, nameOf } from './context.ts'
import { type Finding, good, notice, wrong } from './finding.ts'

const BLUESKY_DID = 'did:web:api.bsky.app'

export function checkSettings({ config, problems, isSet, server }: DoctorContext): Finding[] {
  const found = [
    ...problems.map(({ message, hint }) => wrong(message, hint)),
    ...aboutName(config),
    ...aboutDid(config),
    ...aboutBind(config),
    ...aboutProxies(config),
    ...aboutStream(config),
    ...aboutPrivacy(config),
    ...aboutSize(config),
    ...aboutMedia(config, isSet),
  ]
  if (server === 'none' && !isSet('SLIPSTREAM_DATA_DIR')) {
    found.push(
      notice(
        `the data folder is ${config.dataDir}, the default, since this shell sets none`,
        'If a service has its own settings, run this with them: `slipstream` from deploy/install.sh does, as does `docker compose -f deploy/compose.yaml exec slipstream slipstream doctor`.',
      ),
    )
  }
  return found
}

export function validSettings({ config }: DoctorContext): Finding {
  return good(`they are valid: ${config.publicOrigin} is ${config.serviceDid}`)
}

function aboutName(config: Config): Finding[] {
  const name = nameOf(config)
  if (isLocalOnly(config)) {
    const fix =
      'Set SLIPSTREAM_HOSTNAME=appview.example.org, your own name, with TLS in front; deploy/ has examples.'
    return [notice(`the name is ${config.hostname}: only this machine can use it`, fix)]
  }
  if (isIP(name) !== 0) {
    const fix = 'Set SLIPSTREAM_HOSTNAME to a name; PDSs and clients accept no addresses.'
    return [wrong(`SLIPSTREAM_HOSTNAME is an address, ${name}`, fix)]
  }
  if (!/^([a-z0-9-]{1,63}\.)+[a-z][a-z0-9-]{0,62}$/.test(name)) {
    const fix = 'Set SLIPSTREAM_HOSTNAME to a full name such as appview.example.org.'
    return [wrong(`SLIPSTREAM_HOSTNAME=${name} is not a public name`, fix)]
  }
  if (name === config.hostname) return []
  const fix = 'Serve on 443 and leave the port out of SLIPSTREAM_HOSTNAME.'
  return [notice(`${config.hostname} has a port, which some clients reject`, fix)]
}

function aboutDid({ serviceDid, hostname, altAudiences }: Config): Finding[] {
  const found: Finding[] = []
  if (/^did:web:[^:]+:/.test(serviceDid)) {
    const fix = `Set SLIPSTREAM_SERVICE_DID=did:web:${hostname.replace(':', '%3A')}, or leave it out.`
    found.push(wrong(`${serviceDid} has a path, which PDSs don’t resolve`, fix))
  }
  if ([serviceDid, ...altAudiences].includes(BLUESKY_DID)) {
    const text = `tokens for Bluesky’s own AppView (${BLUESKY_DID}) are accepted here too`
    found.push(
      notice(
        text,
        'Keep it only if the PDS is yours as well; else clear SLIPSTREAM_ALT_AUDIENCES.',
      ),
    )
  }
  return found
}

function aboutBind(config: Config): Finding[] {
  const { bind, port, allowPrivateHosts } = config
  const found: Finding[] = []
  if (isLocalOnly(config)) return found
  if (isLoopback(bind) && existsSync('/.dockerenv')) {
    const text = `SLIPSTREAM_BIND=${bind} can’t be reached from outside this container`
    const fix = 'If the proxy is outside it: set SLIPSTREAM_BIND=0.0.0.0.'
    found.push(notice(text, fix))
  }
  if (port === 0) {
    const fix = 'Set SLIPSTREAM_PORT to the port that your proxy connects to, such as 3000.'
    found.push(wrong('SLIPSTREAM_PORT=0 takes a new port at each start; a proxy can’t follow', fix))
  }
  if (allowPrivateHosts === true) {
    const fix = 'Set SLIPSTREAM_ALLOW_PRIVATE_HOSTS=off, or to the intended addresses.'
    found.push(wrong('strangers’ documents can make this public server call your own network', fix))
  }
  return found
}

function isLoopback(address: string): boolean {
  return address === 'localhost' || address === '::1' || address.startsWith('127.')
}

function aboutProxies(config: Config): Finding[] {
  const { trustedProxies, bind } = config
  if (isLocalOnly(config)) return []
  if (trustedProxies.some((range) => range.endsWith('/0'))) {
    const text =
      'SLIPSTREAM_TRUSTED_PROXIES trusts everyone’s X-Forwarded-For, so limits by address have no effect'
    return [wrong(text, 'Name your proxy’s address, or loopback, or private.')]
  }
  const isNobody = trustedProxies.every((range) => range === 'none')
  if (isNobody && isLoopback(bind)) {
    const text = `only a proxy on this machine reaches ${bind}, and none is trusted: all visitors share one limit`
    return [wrong(text, 'Set SLIPSTREAM_TRUSTED_PROXIES=loopback.')]
  }
  if (!isLoopback(bind) && trustedProxies.every((range) => /^(127\.|::1)/.test(range))) {
    const text = `it listens on ${bind}, but trusts only proxies on this machine`
    const fix =
      'If the proxy is elsewhere (Docker), set SLIPSTREAM_TRUSTED_PROXIES=loopback,private; else all visitors share one limit.'
    return [notice(text, fix)]
  }
  return []
}

function aboutStream({ jetstreamHosts, jetstreamCompress, jetstreamWire }: Config): Finding[] {
  const found: Finding[] = []
  if (new Set(jetstreamHosts).size < jetstreamHosts.length) {
    found.push(notice('SLIPSTREAM_JETSTREAM_HOSTS names a host twice', 'Name each once.'))
  } else if (jetstreamHosts.length === 1) {
    const fix = 'Name a second one in SLIPSTREAM_JETSTREAM_HOSTS, separated by a comma.'
    found.push(notice('only one Jetstream host: when it is down, no new events arrive', fix))
  }
  const plain = jetstreamHosts.find(
    (host) => host.startsWith('ws:') && !isLoopback(new URL(host).hostname),
  )
  if (plain)
    found.push(
      notice(`${plain} is not encrypted`, `Write wss://${plain.slice(5)} if the host has TLS.`),
    )
  if (!jetstreamCompress && jetstreamHosts.length > 0) {
    const fix = 'Set SLIPSTREAM_JETSTREAM_COMPRESS=on.'
    found.push(
      notice(`the stream comes uncompressed (${jetstreamWire}): over twice the traffic`, fix),
    )
  }
  return found
}

function aboutPrivacy(config: Config): Finding[] {
  const { metrics, logLevel } = config
  const found: Finding[] = []
  if (metrics === 'open' && !isLocalOnly(config)) {
    found.push(notice('everyone can read /metrics', 'Set SLIPSTREAM_METRICS=local or operator.'))
  }
  if (logLevel === 'trace' || logLevel === 'debug') {
    const fix = 'Set SLIPSTREAM_LOG_LEVEL=info when you are done.'
    found.push(notice(`the log level is ${logLevel}: long logs, with handles in them`, fix))
  }
  if (logLevel === 'silent') {
    found.push(notice('nothing is logged', 'Set SLIPSTREAM_LOG_LEVEL=info.'))
  }
  return found
}

function aboutSize({ serveThreads }: Config): Finding[] {
  const cores = availableParallelism()
  const found: Finding[] = []
  if (serveThreads >= cores && serveThreads > 1) {
    const text = `${serveThreads} serving threads plus the ingest thread, on ${cores} processors`
    found.push(notice(text, `Set SLIPSTREAM_SERVE_THREADS=${Math.max(1, cores - 1)} or less.`))
  }
  return found
}

function aboutMedia({ images, videos }: Config, isSet: (key: string) => boolean): Finding[] {
  const pairs = [
    ['SLIPSTREAM_IMAGES', images, 'SLIPSTREAM_IMAGE_URL_PATTERN'],
    ['SLIPSTREAM_VIDEOS', videos, 'SLIPSTREAM_VIDEO_PLAYLIST_URL_PATTERN'],
  ] as const
  return pairs
    .filter(([, value, pattern]) => value !== 'cdn' && isSet(pattern))
    .map(([key, value, pattern]) =>
      wrong(`${key}=${value}, but ${pattern} sends clients elsewhere`, `Remove one of the two.`),
    )
}
