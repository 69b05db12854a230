// The few fixed pages: who we are to a PDS or a client (contract A1, B1, F), and a word to people
// and robots.

import type { Config } from '../../base/config/config.ts'
import { type Answer, jsonAnswer, textAnswer } from './answer.ts'

/** Our DID document; undefined where our DID is another's to describe (a did:plc, another host). */
function ownDidDocument(
  config: Pick<Config, 'serviceDid' | 'hostname' | 'publicOrigin'> & Partial<Config>,
): Record<string, unknown> | undefined {
  if (config.serviceDid !== `did:web:${config.hostname.replace(':', '%3A')}`) return undefined
  return {
    '@context': ['https://www.w3.org/ns/did/v1'],
    id: config.serviceDid,
    service: [
      {
        id: '#bsky_appview',
        type: 'BskyAppView',
        serviceEndpoint: config.publicOrigin,
      },
      ...notificationService(config),
    ],
  }
}

/** Where a PDS passes registrations of devices on to, if there are pushes. */
function notificationService({ pushServices, publicOrigin }: Partial<Config>) {
  if (!pushServices?.length) return []
  const type = 'BskyNotificationService'
  return [{ id: '#bsky_notif', type, serviceEndpoint: publicOrigin }]
}

/** Answers by path. */
export function wellKnownPages(config: Config): Map<string, Answer> {
  const document = ownDidDocument(config)
  const pages = new Map([
    ['/', textAnswer(frontPage(config))],
    ['/robots.txt', textAnswer('User-agent: *\nDisallow: /xrpc/\n')],
  ])
  if (document) pages.set('/.well-known/did.json', jsonAnswer(document))
  return pages
}

function frontPage({ serviceDid }: Config): string {
  return `This is Slipstream, an AT Protocol AppView. Its DID is ${serviceDid}; its methods are under /xrpc/.\n`
}
