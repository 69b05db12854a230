// The names by which calls are counted, known without loading anything of what answers them.

import { bsyncSupport, support } from './support.ts'

/** As NSIDs stand among the methods: `bsky.Service.getTimeline`. */
export function rpcNames(): string[] {
  return [
    ...Object.keys(support).map((name) => `bsky.Service.${name}`),
    ...Object.keys(bsyncSupport).map((name) => `bsync.Service.${name}`),
  ]
}

/** For `count` of the request counters. */
export function rpcPath(service: string, name: string): string {
  return `/xrpc/${service}.${name}`
}
