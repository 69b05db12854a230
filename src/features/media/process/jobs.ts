// Messages to and from the media process. Both sides pass file names: no blobs or pictures go through the
// channel.

import type { Format, Preset } from '../presets.ts'

/** Files start with room for a cache entry's head; `to` is created, `from` stays. */
type Files = { from: string; to: string }

export type PictureJob = Files & { kind: 'picture'; preset: Preset; format: Format }
export type VideoJob = Files & { kind: 'video' }
/** Takes the operator's own file without a head, whose digest this was when the server started. */
export type TrailerJob = Files & { kind: 'trailer'; digest: string; form: TrailerForm }
export type TrailerForm = { container: 'mp4' | 'ts'; hasSound: boolean }
/** Renders a frame of a video as a picture. */
export type PreviewJob = Files & { kind: 'preview' }
/** Encodes a lower quality of a cut video (`from`). */
export type LowerJob = Files & { kind: 'lower'; shortSide: number }
export type Job = PictureJob | VideoJob | TrailerJob | PreviewJob | LowerJob

/** Why there is no result: a name for programs, a sentence for people. */
type Refusal = { error: string; message: string }

export type Report =
  | { kind: 'done' }
  | { kind: 'refused'; refusal: Refusal }
  /** Not the blob's fault, such as a full disk. */
  | { kind: 'failed'; message: string }

export type Spoken = { kind: 'ready' } | Report

/** The blob is not of the expected type, or too large. */
export class RefusedBlob extends Error {
  override name = 'RefusedBlob'
  readonly error: string
  constructor(error: string, message: string, options?: ErrorOptions) {
    super(message, options)
    this.error = error
  }
}
