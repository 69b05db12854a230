// The names by which calls are counted, available without loading their handlers.

import { bsyncSupport, support } from './calls/support.ts'

/** Names in the form of NSIDs: `bsky.Service.getTimeline`. */
export function rpcNames(): string[] {
  return [
    ...Object.keys(support).map((name) => `bsky.Service.${name}`),
    ...Object.keys(bsyncSupport).map((name) => `bsync.Service.${name}`),
  ]
}

/** The path for `count` of the request counters. */
export function rpcPath(service: string, name: string): string {
  return `/xrpc/${service}.${name}`
}
