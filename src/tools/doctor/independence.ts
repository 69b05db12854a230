// Which other parties' servers readers still depend on with these settings: what each provides, what is
// missing while it is down, and which setting replaces or removes it. Sends no requests.

import type { Config } from '../../base/config/config.ts'
import { type Dependency, features } from '../../base/feature.ts'

/** The dependencies that the settings leave, most important first. */
export function dependenciesOf(config: Config): Dependency[] {
  const added = ofFeatures(config)
  const others = added.filter(({ isSource }) => !isSource).map(reported)
  return [
    ...jetstream(config),
    ...added.filter(({ isSource }) => isSource).map(reported),
    directory(config),
    servers(),
    ...others,
    ...pictures(config),
    ...videos(config),
    ...labelers(config),
    generators(),
  ]
}

/** Those of their origins that answer anybody, without a token. */
export function openOrigins(config: Config): string[] {
  const { plcUrl, jetstreamHosts } = config
  const streams = jetstreamHosts.map((host) => host.replace(/^ws/, 'http'))
  const added = ofFeatures(config).flatMap(({ origins = [] }) => origins)
  return [...new Set([plcUrl, ...streams, ...added])]
}

function ofFeatures(config: Config) {
  return features.flatMap((feature) => feature.dependencies?.(config as never) ?? [])
}

function reported({
  isSource: _,
  origins: __,
  ...dependency
}: ReturnType<typeof ofFeatures>[number]): Dependency {
  return dependency
}

function jetstream({ jetstreamHosts }: Config): Dependency[] {
  if (jetstreamHosts.length === 0) return []
  return [
    {
      what: 'Jetstream',
      hosts: jetstreamHosts.map(hostOf),
      askedBy: 'server',
      gives: 'all new events, live; one host is enough',
      without: 'no new events; missed ones are fetched once a host is back',
      setting:
        'SLIPSTREAM_JETSTREAM_HOSTS (for example your own Jetstream, on any relay; off: relays)',
    },
  ]
}

function directory({ plcUrl }: Config): Dependency {
  return {
    what: 'the PLC directory',
    hosts: [hostOf(plcUrl)],
    askedBy: 'server',
    gives: 'the identity of an account: its key, handle and server',
    without:
      'members who were here within a day can still read, also after a restart; no new account can sign in until it is back',
    setting: 'SLIPSTREAM_PLC_URL (your own mirror)',
  }
}

function servers(): Dependency {
  return {
    what: 'PDSs, did:web hosts and DNS',
    hosts: ['each account’s own'],
    askedBy: 'server',
    gives:
      'a reader’s sign-in (from their PDS); older posts, profiles and records (from each author’s)',
    without: 'a reader whose PDS is down can’t read anywhere; an author’s older posts come later',
    setting: undefined,
  }
}

function pictures({ imageUrlPattern, publicOrigin }: Config): Dependency[] {
  if (isOurs(imageUrlPattern, publicOrigin)) return []
  return [
    {
      what: 'pictures',
      hosts: [hostOf(imageUrlPattern)],
      askedBy: 'client',
      gives: 'avatars, banners and pictures; it sees who views them',
      without: 'posts load without their pictures',
      setting: 'SLIPSTREAM_IMAGES=own',
    },
  ]
}

function videos(config: Config): Dependency[] {
  const { videos: from, videoServiceUrl, publicOrigin } = config
  const patterns = [config.videoPlaylistUrlPattern, config.videoThumbnailUrlPattern]
  const others = patterns.filter((pattern) => !isOurs(pattern, publicOrigin))
  if (from !== 'own') others.push(videoServiceUrl)
  if (others.length === 0) return []
  const isForUs = from === 'proxy'
  return [
    {
      what: 'videos',
      hosts: [...new Set(others.map(hostOf))],
      askedBy: isForUs ? 'server' : 'client',
      gives: `videos and their first frames${isForUs ? '' : '; it sees who views them'}`,
      without: 'posts load without their videos',
      setting: 'SLIPSTREAM_VIDEOS=own',
    },
  ]
}

function labelers({ labelers: dids }: Config): Dependency[] {
  if (dids.length === 0) return []
  return [
    {
      what: 'labelers',
      hosts: [...dids],
      askedBy: 'server',
      gives:
        'labels and takedowns for readers whose client names no labelers; clients may name more',
      without: 'labels received so far still apply',
      setting: 'SLIPSTREAM_LABELERS=, (a comma: none)',
    },
  ]
}

function generators(): Dependency {
  return {
    what: 'feed generators',
    hosts: ['each custom feed’s own'],
    askedBy: 'server',
    gives: 'the posts of a custom feed; Following needs none',
    without: 'that one feed does not load',
    setting: undefined,
  }
}

function isOurs(pattern: string, publicOrigin: string): boolean {
  return pattern.startsWith(`${publicOrigin}/`)
}

function hostOf(address: string): string {
  return new URL(address).host
}
