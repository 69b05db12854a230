// What a member writes into their own repository, by their PDS.

import { me, post, write } from '../page/api.ts'

export type Ref = { uri: string; cid: string }
export type Blob = { $type: 'blob'; ref: { $link: string }; mimeType: string; size: number }

export function create(collection: string, fields: object): Promise<Ref> {
  const record = { $type: collection, createdAt: new Date().toISOString(), ...fields }
  return write('com.atproto.repo.createRecord', { repo: me(), collection, record })
}

/** A record that is gone already counts as deleted. */
export async function remove(uri: string): Promise<void> {
  const [, , repo = '', collection = '', rkey = ''] = uri.split('/')
  if (repo !== me()) throw new Error('only own records can be deleted')
  await write('com.atproto.repo.deleteRecord', { repo, collection, rkey })
}

export async function upload(data: globalThis.Blob): Promise<Blob> {
  const { blob } = await post<{ blob: Blob }>('com.atproto.repo.uploadBlob', data, data.type)
  return blob
}

export const like = (subject: Ref) => create('app.bsky.feed.like', { subject })
export const repost = (subject: Ref) => create('app.bsky.feed.repost', { subject })
export const follow = (subject: string) => create('app.bsky.graph.follow', { subject })
export const block = (subject: string) => create('app.bsky.graph.block', { subject })
