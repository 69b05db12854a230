// Checks that an AppView's answer, and each of its items, is about the requested subject.

import { isObject, type JsonObject } from '../../../base/util/json-object.ts'
import { ownerOf } from '../appview/our-verdict.ts'

type About = 'account' | 'post' | 'record'

/** @param key - a DID, or an at-URI with one */
export function isAboutSubject(answer: JsonObject, about: About, key: string): boolean {
  if (about === 'post') return isAboutPost(answer, key)
  const { subject } = answer
  if (about === 'account') return !isObject(subject) || subject['did'] === key
  const view = answer['list'] ?? answer['view'] ?? answer['starterPack']
  return !isObject(view) || view['uri'] === key
}

/** An account's items must be its own; in a feed, its reposts count too. */
export function isAboutItem(item: JsonObject, about: About, did: string): boolean {
  if (about !== 'account') return true
  const { post, reason, creator } = item
  const by = isObject(reason) ? reason['by'] : undefined
  if (isObject(post)) return isObject(by) ? by['did'] === did : ownerOf(post) === did
  return !isObject(creator) || creator['did'] === did
}

function isAboutPost({ thread }: JsonObject, uri: string): boolean {
  if (Array.isArray(thread)) {
    const anchor: JsonObject | undefined = thread.find(({ depth }: JsonObject) => depth === 0)
    return anchor === undefined || (anchor['uri'] === uri && !isUnknown(anchor['value']))
  }
  if (!isObject(thread)) return true
  const { post } = thread
  return (isObject(post) ? post['uri'] : thread['uri']) === uri
}

/** Not found, or hidden from anonymous requests such as ours; our own index may know better. */
function isUnknown(value: unknown): boolean {
  return isObject(value) && /#threadItem(NotFound|NoUnauthenticated)$/.test(String(value['$type']))
}
