// What the media process is asked, and what it answers. Both sides pass names of files: neither blobs nor
// pictures go through the line between them.

import type { Format, Preset } from '../presets.ts'

/** Files have room for the head of a cache entry in front; `to` is made, `from` stays. */
type Files = { from: string; to: string }

export type PictureJob = Files & { kind: 'picture'; preset: Preset; format: Format }
export type VideoJob = Files & { kind: 'video' }
/** The operator's own file, as it is; of which this was the digest when the server started. */
export type TrailerJob = Files & { kind: 'trailer'; digest: string; form: TrailerForm }
export type TrailerForm = { container: 'mp4' | 'ts'; hasSound: boolean }
/** A frame of a video as a picture. */
export type PreviewJob = Files & { kind: 'preview' }
/** A lower quality of a video that was cut (`from`). */
export type LowerJob = Files & { kind: 'lower'; shortSide: number }
export type Job = PictureJob | VideoJob | TrailerJob | PreviewJob | LowerJob

/** Why there is nothing to show: a name for programs, a sentence for people. */
type Refusal = { error: string; message: string }

export type Report =
  | { kind: 'done' }
  | { kind: 'refused'; refusal: Refusal }
  /** Not the blob's fault: a full disk, say. */
  | { kind: 'failed'; message: string }

export type Spoken = { kind: 'ready' } | Report

/** A blob that is not what it is taken for, or too much of it. */
export class RefusedBlob extends Error {
  override name = 'RefusedBlob'
  readonly error: string
  constructor(error: string, message: string, options?: ErrorOptions) {
    super(message, options)
    this.error = error
  }
}
