// Sealed objects in a bucket: what is put is sealed for its name, what is got is what was put under this name.

import type { Bucket, StoredObject } from '../bucket/bucket.ts'
import type { Keys } from '../sealing/keys.ts'
import { open, seal } from '../sealing/seal.ts'

export type Objects = {
  readonly url: string
  /** @returns bytes stored */
  put(name: string, content: Uint8Array | string): Promise<number>
  putJson(name: string, value: unknown): Promise<number>
  /** @throws BucketError, or SealError if it is not what was put */
  get(name: string): Promise<Buffer>
  getJson<T>(name: string): Promise<T>
  list(folder: string): Promise<StoredObject[]>
  remove(names: readonly string[]): Promise<void>
}

export function sealedObjects(bucket: Bucket, keys: Keys): Objects {
  async function put(name: string, content: Uint8Array | string): Promise<number> {
    const sealed = await seal(keys, name, content)
    await bucket.put(name, sealed)
    return sealed.length
  }

  async function get(name: string): Promise<Buffer> {
    return open(keys, name, await bucket.get(name))
  }

  return {
    url: bucket.url,
    put,
    get,
    putJson: (name, value) => put(name, JSON.stringify(value)),
    getJson: async <T>(name: string) => JSON.parse((await get(name)).toString()) as T,
    list: bucket.list,
    remove: bucket.remove,
  }
}
