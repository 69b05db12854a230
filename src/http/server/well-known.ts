// The few fixed pages: the identity of this server for PDSs and clients (contract A1, B1, F), a front page
// for people, and robots.txt.

import type { Config } from '../../base/config/config.ts'
import { type Answer, jsonAnswer, textAnswer } from './http-answer.ts'

export type DidService = { id: `#${string}`; type: string; serviceEndpoint: string }

/** Returns our DID document; undefined if another host describes our DID, or it is a did:plc. */
function ownDidDocument(
  config: Pick<Config, 'serviceDid' | 'hostname' | 'publicOrigin'>,
  services: readonly DidService[],
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
      ...services,
    ],
  }
}

/**
 * Returns the answers by path.
 * @param services - of ours, besides the AppView
 */
export function wellKnownPages(
  config: Config,
  services: readonly DidService[],
): Map<string, Answer> {
  const document = ownDidDocument(config, services)
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
