// A store of objects by name: what a backup needs of S3, and nothing more.

export type StoredObject = {
  name: string
  bytes: number
}

/** All methods throw a BucketError if the store can't or won't. Names are below the prefix of the backup. */
export type Bucket = {
  /** As the operator writes it: s3://bucket/prefix. */
  readonly url: string
  /** Replaces the object of that name. */
  put(name: string, bytes: Uint8Array): Promise<void>
  get(name: string): Promise<Buffer>
  /** In the order of names. */
  list(folder: string): Promise<StoredObject[]>
  /** Objects that are not there count as removed. */
  remove(names: readonly string[]): Promise<void>
}
