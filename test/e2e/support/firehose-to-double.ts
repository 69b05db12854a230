// Feeds the Jetstream double from a PDS's firehose (com.atproto.sync.subscribeRepos), as a relay feeds the
// real server: commits are unpacked into one event per record.

import { IdResolver } from '@atproto/identity'
import { type LexValue, lexToJson } from '@atproto/lex'
import { type Event, Firehose } from '@atproto/sync'
import type { JsonObject } from '../../../src/base/util/json-object.ts'
import type { JetstreamDouble } from '../../support/jetstream-double/double.ts'
import type { Emission } from '../../support/jetstream-double/emission.ts'
import type { Network } from './network.ts'

export type Feed = { stop: () => Promise<void> }

/**
 * Starts at the PDS's first event.
 * @throws nothing: unparsable input is reported to the console
 */
export function feedDouble(network: Network, double: JetstreamDouble): Feed {
  const firehose = new Firehose({
    service: network.pdsUrl.replace(/^http/, 'ws'),
    idResolver: new IdResolver({ plcUrl: network.plcUrl, fetch: globalThis.fetch }),
    unauthenticatedHandles: true,
    getCursor: () => 0,
    subscriptionReconnectDelay: 100,
    handleEvent: (event) => {
      double.emit(emissionOf(event))
    },
    onError: (error) => console.warn('firehose:', error.message, error.cause ?? ''),
  })
  void firehose.start()
  return { stop: () => firehose.destroy() }
}

/** What the Jetstream double says of an event of a PDS's firehose. */
export function emissionOf(event: Event): Emission {
  const { did } = event
  switch (event.event) {
    case 'account':
      return { kind: 'account', did, active: event.active, status: event.status }
    case 'identity':
      return { kind: 'identity', did }
    case 'sync':
      return { kind: 'sync', did, rev: event.rev }
    case 'delete': {
      const { collection, rkey, rev } = event
      return { did, operation: 'delete', collection, rkey, rev }
    }
    default: {
      const { collection, rkey, rev, cid } = event
      const record = lexToJson(event.record as LexValue) as JsonObject
      return { did, operation: event.event, collection, rkey, rev, cid: cid.toString(), record }
    }
  }
}
